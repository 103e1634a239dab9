(* Numbers that the ledger prints, in rational arithmetic alone: the tuned line at D = 1, e = 0.3,
   delta = 1e-6, to every printed digit (B17, E11); one Poisson clock for two coordinates (N02): from time 1 to time 2, at
   frequency (1, 1), the characteristic function is that of time 1 times exp of the integral of (2/u)(phi_u^2 - 1), and
   not phi_2^2 = 1/25. Logarithms are enclosed by the series of odd powers with its remainder, roots by squares. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From nrverify Require Import laplace_process optima.
Open Scope R_scope.

(* The series of ln ((1 + x) / (1 - x)), and what it leaves. *)
Fixpoint odd_powers (n : nat) (x : R) : R :=
  match n with O => 0 | S k => odd_powers k x + 2 * x ^ (2 * k + 1) / INR (2 * k + 1) end.

Lemma odd_positive : forall n, 0 < INR (2 * n + 1).
Proof. intros n. apply lt_0_INR. lia. Qed.

Lemma odd_powers_derive : forall n x, x ^ 2 <> 1 ->
  is_derive (odd_powers n) x (2 * (1 - x ^ (2 * n)) / (1 - x ^ 2)).
Proof.
  induction n as [|n IH]; intros x H.
  - apply (is_derive_ext (fun _ => 0)); [reflexivity|].
    replace (2 * (1 - x ^ (2 * 0)) / (1 - x ^ 2)) with 0 by (simpl; field; simpl in H; lra).
    auto_derive; [exact I|reflexivity].
  - apply (is_derive_ext (fun t => odd_powers n t + 2 * t ^ (2 * n + 1) / INR (2 * n + 1))); [reflexivity|].
    replace (2 * (1 - x ^ (2 * S n)) / (1 - x ^ 2))
      with (2 * (1 - x ^ (2 * n)) / (1 - x ^ 2) + 2 * x ^ (2 * n))
      by (replace (2 * S n)%nat with (2 * n + 2)%nat by lia; rewrite pow_add; field; lra).
    apply (is_derive_plus (odd_powers n) (fun t => 2 * t ^ (2 * n + 1) / INR (2 * n + 1)) x _ _ (IH x H)).
    pose proof (odd_positive n) as Hp.
    auto_derive; [exact I|].
    change (n + (n + 0) + 1)%nat with (2 * n + 1)%nat. replace (pred (2 * n + 1)) with (2 * n)%nat by lia. field. lra.
Qed.

Lemma grows : forall f df x, 0 <= x -> (forall t, 0 <= t <= x -> is_derive f t (df t)) ->
  (forall t, 0 <= t <= x -> 0 <= df t) -> f 0 <= f x.
Proof.
  intros f df x Hx Hd Hs.
  destruct (MVT_gen f 0 x df) as [c [Hc He]].
  - rewrite Rmin_left, Rmax_right by lra. intros t Ht. apply Hd. lra.
  - rewrite Rmin_left, Rmax_right by lra. intros t Ht. apply derivable_continuous_pt. exists (df t).
    apply is_derive_Reals. apply Hd. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. pose proof (Hs c Hc).
    pose proof (Rmult_le_pos (df c) (x - 0)). lra.
Qed.

Definition past (n : nat) (x : R) : R := ln (1 + x) - ln (1 - x) - odd_powers n x.

Lemma past_derive : forall n x, 0 <= x < 1 -> is_derive (past n) x (2 * x ^ (2 * n) / (1 - x ^ 2)).
Proof.
  intros n x H.
  assert (Hsq : x ^ 2 < 1) by nra.
  replace (2 * x ^ (2 * n) / (1 - x ^ 2)) with (2 / (1 - x ^ 2) - 2 * (1 - x ^ (2 * n)) / (1 - x ^ 2)) by (field; lra).
  apply (is_derive_minus (fun t => ln (1 + t) - ln (1 - t)) (odd_powers n)).
  - auto_derive; [repeat split; lra|]. field. repeat split; nra.
  - apply odd_powers_derive. lra.
Qed.

Lemma past_0 : forall n, past n 0 = 0.
Proof.
  intros n. unfold past. replace (1 + 0) with 1 by ring. replace (1 - 0) with 1 by ring. rewrite ln_1.
  assert (H : odd_powers n 0 = 0).
  { induction n as [|n IH]; [reflexivity|]. cbn [odd_powers]. rewrite IH, pow_i by lia. unfold Rdiv. ring. }
  rewrite H. ring.
Qed.

Lemma logarithm_series : forall n x, 0 <= x < 1 ->
  odd_powers n x <= ln ((1 + x) / (1 - x)) <= odd_powers n x + 2 * x ^ (2 * n + 1) / INR (2 * n + 1) / (1 - x ^ 2).
Proof.
  intros n x H. rewrite ln_div by lra.
  assert (Hsq : x ^ 2 < 1) by nra.
  assert (Hpow : forall t, 0 <= t -> 0 <= t ^ (2 * n)) by (intros t Ht; apply pow_le; exact Ht).
  assert (Hlow : past n 0 <= past n x).
  { apply (grows (past n) (fun t => 2 * t ^ (2 * n) / (1 - t ^ 2))); [lra| |].
    - intros t Ht. apply past_derive. lra.
    - intros t Ht. apply Rmult_le_pos; [pose proof (Hpow t); lra|]. left. apply Rinv_0_lt_compat. nra. }
  pose proof (odd_positive n) as Hp.
  set (bound := fun t => 2 * t ^ (2 * n + 1) / INR (2 * n + 1) / (1 - x ^ 2) - past n t).
  assert (Hhigh : bound 0 <= bound x).
  { apply (grows bound (fun t => 2 * t ^ (2 * n) / (1 - x ^ 2) - 2 * t ^ (2 * n) / (1 - t ^ 2))); [lra| |].
    - intros t Ht. apply (is_derive_minus (fun t => 2 * t ^ (2 * n + 1) / INR (2 * n + 1) / (1 - x ^ 2)) (past n)).
      + auto_derive; [exact I|]. change (n + (n + 0) + 1)%nat with (2 * n + 1)%nat. replace (pred (2 * n + 1)) with (2 * n)%nat by lia. field. split; lra.
      + apply past_derive. lra.
    - intros t Ht.
      assert (Hle : 2 * t ^ (2 * n) / (1 - t ^ 2) <= 2 * t ^ (2 * n) / (1 - x ^ 2)).
      { apply Rmult_le_compat_l; [pose proof (Hpow t); lra|]. apply Rinv_le_contravar; nra. }
      lra. }
  unfold bound in Hhigh. rewrite past_0 in Hlow, Hhigh. rewrite pow_i in Hhigh by lia.
  unfold Rdiv in Hhigh at 1 2. rewrite Rmult_0_r, !Rmult_0_l in Hhigh.
  unfold past in *. lra.
Qed.

Lemma ln_2 : Rabs (ln 2 - 0.6931471805599453094172) <= 1e-22.
Proof.
  pose proof (logarithm_series 22 (1 / 3) ltac:(lra)) as H.
  replace ((1 + 1 / 3) / (1 - 1 / 3)) with 2 in H by field.
  cbn -[Rplus Rmult Rdiv pow IZR Rminus] in H. apply Rabs_le. lra.
Qed.

Lemma ln_5_4 : Rabs (ln (5 / 4) - 0.2231435513142097557663) <= 1e-22.
Proof.
  pose proof (logarithm_series 11 (1 / 9) ltac:(lra)) as H.
  replace ((1 + 1 / 9) / (1 - 1 / 9)) with (5 / 4) in H by field.
  cbn -[Rplus Rmult Rdiv pow IZR Rminus] in H. apply Rabs_le. lra.
Qed.

Definition millionth : R := ln 1000000.    (* log(1/delta) at delta = 1e-6 *)

Lemma millionth_value : 13.8155105579642741041 <= millionth <= 13.8155105579642741042.
Proof.
  assert (H : millionth = 18 * ln 2 + 6 * ln (5 / 4)).
  { unfold millionth. replace 1000000 with (2 ^ 18 * (5 / 4) ^ 6) by field.
    rewrite ln_mult by (apply pow_lt; lra). rewrite !ln_pow by lra. cbn [INR]. ring. }
  pose proof ln_2 as H2. pose proof ln_5_4 as H5. apply Rabs_le_between in H2. apply Rabs_le_between in H5. lra.
Qed.

Lemma root_between : forall low x high, 0 <= low -> 0 <= high -> low * low <= x <= high * high ->
  low <= sqrt x <= high.
Proof.
  intros low x high Hl Hh [H1 H2]. rewrite <- (sqrt_square low), <- (sqrt_square high) by assumption.
  split; apply sqrt_le_1_alt; assumption.
Qed.

(* From an enclosure of the numerator and of the denominator. *)
Lemma quotient_near : forall p q m d, 0 < q -> (m - d) * q <= p <= (m + d) * q -> Rabs (p / q - m) <= d.
Proof.
  intros p q m d Hq [H1 H2]. apply Rabs_le.
  assert (Hp : p = p / q * q) by (field; lra).
  assert (L : (m - d) <= p / q) by (apply (Rmult_le_reg_r q); lra).
  assert (U : p / q <= m + d) by (apply (Rmult_le_reg_r q); lra). lra.
Qed.

Lemma squares_between : forall low x high, low <= x <= high -> 0 <= low -> low * low <= x * x <= high * high.
Proof. intros low x high [H1 H2] Hl. split; apply Rmult_le_compat; lra. Qed.

Lemma slope_value : 0.1491944208246301426 <= slope millionth 0.3 1 <= 0.1491944208246301429.
Proof.
  unfold slope. pose proof millionth_value as H.
  pose proof (squares_between _ _ _ H ltac:(lra)).
  assert (13.9647049787889042468 <= sqrt (millionth * millionth + millionth * 0.3) <= 13.9647049787889042470)
    by (apply root_between; lra).
  lra.
Qed.

Theorem printed_slope : Rabs (slope millionth 0.3 1 - 0.149194420824630) <= 5e-16.
Proof. pose proof slope_value. apply Rabs_le. lra. Qed.

Theorem printed_intercept : Rabs (intercept millionth (slope millionth 0.3 1) - 46.3003592279220) <= 5e-14.
Proof.
  unfold intercept. pose proof slope_value. pose proof millionth_value. apply quotient_near; lra.
Qed.

Theorem printed_time : Rabs (best_time millionth 0.3 1 - 310.335728186146) <= 5e-13.
Proof.
  unfold best_time, root_gap. pose proof millionth_value as H.
  assert (R : 3.75706142589714310142 <= sqrt (millionth + 0.3) <= 3.75706142589714310147)
    by (apply root_between; lra).
  assert (Q : 3.71692218884983844694 <= sqrt millionth <= 3.71692218884983844697) by (apply root_between; lra).
  set (g := sqrt (millionth + 0.3) - sqrt millionth) in *.
  assert (G : 0.04013923704730465445 <= g <= 0.04013923704730465453) by (unfold g; lra).
  pose proof (squares_between _ _ _ G ltac:(lra)). apply quotient_near; lra.
Qed.

Definition shared_clock : R :=
  characteristic 1 1 ^ 2 * exp (RInt (fun u => 2 / u * (characteristic 1 u ^ 2 - 1)) 1 2).

(* The integrand has the primitive 1 / (1 + u^2) - ln (1 + u^2). *)
Theorem shared_clock_closed : shared_clock = (1 / 10) * exp (-3 / 10).
Proof.
  assert (H : RInt (fun u => 2 / u * (characteristic 1 u ^ 2 - 1)) 1 2 = - (3 / 10) - ln (5 / 2)).
  { apply is_RInt_unique.
    replace (- (3 / 10) - ln (5 / 2))
      with (minus ((fun u => / (1 + u ^ 2) - ln (1 + u ^ 2)) 2) ((fun u => / (1 + u ^ 2) - ln (1 + u ^ 2)) 1)).
    - apply (is_RInt_derive (fun u => / (1 + u ^ 2) - ln (1 + u ^ 2))).
      + rewrite Rmin_left, Rmax_right by lra. intros u Hu. unfold characteristic.
        auto_derive; [repeat split; nra|]. field. split; nra.
      + rewrite Rmin_left, Rmax_right by lra. intros u Hu. apply continuity_pt_filterlim.
        apply derivable_continuous_pt. apply ex_derive_Reals_0. unfold characteristic. auto_derive.
        repeat split; nra.
    - change (/ (1 + 2 ^ 2) - ln (1 + 2 ^ 2) - (/ (1 + 1 ^ 2) - ln (1 + 1 ^ 2)) = - (3 / 10) - ln (5 / 2)).
      replace (5 / 2) with ((1 + 2 ^ 2) / (1 + 1 ^ 2)) by field.
      rewrite (ln_div (1 + 2 ^ 2)) by lra. field. }
  unfold shared_clock. rewrite H. unfold Rminus. rewrite exp_plus, exp_Ropp, exp_Ropp, (exp_ln (5 / 2)) by lra.
  unfold characteristic. replace (-3 / 10) with (- (3 / 10)) by field. rewrite exp_Ropp. field. apply Rgt_not_eq, exp_pos.
Qed.

Lemma exp_near : 74081 / 100000 < exp (-3 / 10) < 74083 / 100000.
Proof.
  pose proof (logarithm_series 4 (25919 / 174081) ltac:(lra)) as [L _].
  pose proof (logarithm_series 4 (25917 / 174083) ltac:(lra)) as [_ U].
  replace ((1 + 25919 / 174081) / (1 - 25919 / 174081)) with (/ (74081 / 100000)) in L by field.
  replace ((1 + 25917 / 174083) / (1 - 25917 / 174083)) with (/ (74083 / 100000)) in U by field.
  cbn -[Rplus Rmult Rdiv pow IZR Rminus Rinv] in L, U. rewrite ln_Rinv in L, U by lra.
  split.
  - rewrite <- (exp_ln (74081 / 100000)) at 1 by lra. apply exp_increasing. lra.
  - rewrite <- (exp_ln (74083 / 100000)) by lra. apply exp_increasing. lra.
Qed.

Theorem shared_clock_value : Rabs (shared_clock - 0.074082) <= 1e-6.
Proof. rewrite shared_clock_closed. pose proof exp_near. apply Rabs_le. lra. Qed.

(* that of two Laplace variables of scale 2 *)
Theorem laplace_value : characteristic 1 2 ^ 2 = 1 / 25.
Proof. unfold characteristic. field. Qed.

Theorem shared_clock_is_not_laplace : shared_clock <> 1 / 25.
Proof. rewrite shared_clock_closed. pose proof exp_near. lra. Qed.
