(* The two privacy boundaries. Linear: inverse, floor, monotone, above the loss of every distance up to the sensitivity,
   and the printed infimum is 0 (B09, B13, B14, E11). Mixture: strictly decreasing, where the paper prints "increasing"
   (B15), and above the loss below its curve (B08). *)
From Coq Require Import Reals Lra Psatz.
Open Scope R_scope.

Definition linear (D a b t : R) : R := D / t * (D / 2 + b) + D * a.
Definition linear_time (D a b e : R) : R := D * (D / 2 + b) / (e - D * a).
Definition curve (rho l t : R) : R := sqrt ((t + rho) * (2 * l + ln (1 + t / rho))).
Definition mixture (D rho l t : R) : R := D * D / (2 * t) + D / t * curve rho l t.

(* Below a curve the loss at any distance d <= D stays below the boundary of the curve. *)
Lemma loss_below : forall d D w c t, 0 <= d <= D -> 0 < D -> 0 < c -> 0 < t -> w < c ->
  d * d / (2 * t) + d / t * w < D * D / (2 * t) + D / t * c.
Proof.
  intros d D w c t Hd HD Hc Ht Hw.
  replace (d * d / (2 * t) + d / t * w) with ((d * d / 2 + d * w) / t) by (field; lra).
  replace (D * D / (2 * t) + D / t * c) with ((D * D / 2 + D * c) / t) by (field; lra).
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|].
  assert (d * d <= D * D) by (apply Rmult_le_compat; lra).
  destruct (Rlt_or_le d D) as [Hs|Hs].
  - assert (d * w <= d * c) by (apply Rmult_le_compat_l; lra).
    assert (d * c < D * c) by (apply Rmult_lt_compat_r; lra). lra.
  - assert (E : d = D) by lra. rewrite E. assert (D * w < D * c) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

Section Linear.
Variable D : R.
Hypothesis HD : 0 < D.

Theorem linear_inverse : forall a b t e, 0 < a -> 0 < b -> 0 < t -> D * a < e ->
  (linear D a b t = e <-> t = linear_time D a b e).
Proof.
  intros a b t e Ha Hb Ht He. unfold linear, linear_time. split; intro H.
  - assert (E : D * (D / 2 + b) = (e - D * a) * t) by (rewrite <- H; field; lra). rewrite E. field. lra.
  - rewrite H. field. repeat split; apply Rgt_not_eq; nra.
Qed.

Theorem linear_floor : forall a b t, 0 < a -> 0 < b -> 0 < t -> D * a < linear D a b t.
Proof.
  intros a b t Ha Hb Ht. unfold linear. assert (0 < D / t * (D / 2 + b)); [|lra].
  apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat|]; lra.
Qed.

Theorem linear_decreases : forall a b s t, 0 < b -> 0 < s -> s < t -> linear D a b t < linear D a b s.
Proof.
  intros a b s t Hb Hs Ht. unfold linear. apply Rplus_lt_compat_r, Rmult_lt_compat_r; [lra|].
  unfold Rdiv. apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; nra.
Qed.

Theorem loss_below_linear : forall d a b t w, 0 <= d <= D -> 0 < a -> 0 < b -> 0 < t -> w < a * t + b ->
  d * d / (2 * t) + d / t * w < linear D a b t.
Proof.
  intros d a b t w Hd Ha Hb Ht Hw.
  replace (linear D a b t) with (D * D / (2 * t) + D / t * (a * t + b)) by (unfold linear; field; lra).
  apply loss_below; auto. nra.
Qed.

(* B13: with the printed inf{t : psi(t) >= e} every positive time below the inverse qualifies: the infimum is 0. *)
Theorem printed_infimum_is_zero : forall a b e eta, 0 < a -> 0 < b -> 0 < eta -> D * a < e ->
  exists t, 0 < t < eta /\ e <= linear D a b t.
Proof.
  intros a b e eta Ha Hb Heta He.
  assert (Ht : 0 < linear_time D a b e) by (unfold linear_time; apply Rdiv_lt_0_compat; nra).
  exists (Rmin (linear_time D a b e) eta / 2).
  assert (0 < Rmin (linear_time D a b e) eta) by (apply Rmin_glb_lt; lra).
  pose proof (Rmin_l (linear_time D a b e) eta). pose proof (Rmin_r (linear_time D a b e) eta). split; [lra|].
  assert (E : linear D a b (linear_time D a b e) = e) by (apply linear_inverse; auto).
  apply Rlt_le. rewrite <- E at 1. apply linear_decreases; lra.
Qed.
End Linear.

Section Mixture.
Lemma ln_le_minus : forall x, 0 < x -> ln x <= x - 1.
Proof. intros x Hx. pose proof (exp_ineq1_le (ln x)) as H. rewrite exp_ln in H by assumption. lra. Qed.

Lemma ln_ge : forall u, 0 < u -> u / (1 + u) <= ln (1 + u).
Proof.
  intros u Hu. assert (H : ln (/ (1 + u)) <= / (1 + u) - 1) by (apply ln_le_minus, Rinv_0_lt_compat; lra).
  rewrite ln_Rinv in H by lra. replace (u / (1 + u)) with (1 - / (1 + u)) by (field; lra). lra.
Qed.

(* ln(1+u)/u does not increase *)
Lemma log_slope : forall u v, 0 < u -> u < v -> ln (1 + v) / v <= ln (1 + u) / u.
Proof.
  intros u v Hu Hv.
  assert (H1 : ln (1 + v) <= ln (1 + u) + (v - u) / (1 + u)).
  { replace (1 + v) with ((1 + u) * ((1 + v) / (1 + u))) by (field; lra).
    assert (Hp : 0 < (1 + v) / (1 + u)) by (apply Rdiv_lt_0_compat; lra).
    rewrite ln_mult by lra. pose proof (ln_le_minus _ Hp) as H.
    replace ((1 + v) / (1 + u) - 1) with ((v - u) / (1 + u)) in H by (field; lra). lra. }
  assert (H2 : (v - u) / (1 + u) <= (v - u) / u * ln (1 + u)).
  { replace ((v - u) / (1 + u)) with ((v - u) / u * (u / (1 + u))) by (field; lra).
    apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra | apply ln_ge, Hu]. }
  apply (Rmult_le_reg_r v); [lra|]. replace (ln (1 + v) / v * v) with (ln (1 + v)) by (field; lra).
  replace (ln (1 + u) / u * v) with (ln (1 + u) + (v - u) / u * ln (1 + u)) by (field; lra). lra.
Qed.

Lemma log_pos : forall t rho, 0 < rho -> 0 < t -> 0 < ln (1 + t / rho).
Proof.
  intros t rho Hr Ht. assert (0 < t / rho) by (apply Rdiv_lt_0_compat; lra).
  rewrite <- ln_1. apply ln_increasing; lra.
Qed.

Theorem curve_positive : forall rho l t, 0 < rho -> 0 < l -> 0 < t -> 0 < curve rho l t.
Proof.
  intros rho l t Hr Hl Ht. pose proof (log_pos t rho Hr Ht). unfold curve.
  apply sqrt_lt_R0, Rmult_lt_0_compat; lra.
Qed.

Theorem loss_below_mixture : forall D rho l d t w, 0 < D -> 0 < rho -> 0 < l -> 0 <= d <= D -> 0 < t ->
  w < curve rho l t -> d * d / (2 * t) + d / t * w < mixture D rho l t.
Proof.
  intros D rho l d t w HD Hr Hl Hd Ht Hw. apply loss_below; auto. apply curve_positive; assumption.
Qed.

Theorem mixture_decreases : forall D rho l s t, 0 < D -> 0 < rho -> 0 < l -> 0 < s -> s < t ->
  mixture D rho l t < mixture D rho l s.
Proof.
  intros D rho l s t HD Hr Hl Hs Ht. unfold mixture, curve.
  assert (Hus : 0 < s / rho) by (apply Rdiv_lt_0_compat; lra).
  assert (Hst : s / rho < t / rho) by (apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat|]; lra).
  pose proof (log_pos s rho Hr Hs) as Ps. assert (Pt : 0 < ln (1 + t / rho)) by (apply log_pos; lra).
  assert (Hi : / t < / s) by (apply Rinv_lt_contravar; nra).
  assert (Hit : 0 < / t) by (apply Rinv_0_lt_compat; lra).
  set (a := ln (1 + s / rho)) in *. set (b := ln (1 + t / rho)) in *.
  assert (Hslope : b * / t <= a * / s).
  { pose proof (log_slope _ _ Hus Hst) as H. fold a b in H.
    replace (b / (t / rho)) with (rho * (b * / t)) in H by (field; lra).
    replace (a / (s / rho)) with (rho * (a * / s)) in H by (field; lra). apply Rmult_le_reg_l in H; lra. }
  assert (Hroot : forall x c, 0 < x -> 0 < c -> D / x * sqrt ((x + rho) * (2 * l + c))
    = D * sqrt ((1 + rho * / x) * (2 * l * / x + c * / x))).
  { intros x c Hx Hc. assert (0 < / x) by (apply Rinv_0_lt_compat; lra).
    replace ((x + rho) * (2 * l + c)) with ((x * x) * ((1 + rho * / x) * (2 * l * / x + c * / x))) by (field; lra).
    assert (0 < rho * / x) by nra. assert (0 < 2 * l * / x) by (apply Rmult_lt_0_compat; lra).
    assert (0 < c * / x) by nra. rewrite sqrt_mult by nra. rewrite sqrt_square by lra. field. lra. }
  rewrite (Hroot t b), (Hroot s a) by lra.
  apply Rplus_lt_compat.
  - unfold Rdiv. apply Rmult_lt_compat_l; [nra|]. rewrite !Rinv_mult. nra.
  - apply Rmult_lt_compat_l; [lra|].
    assert (0 < rho * / t) by nra. assert (rho * / t < rho * / s) by (apply Rmult_lt_compat_l; lra).
    assert (2 * l * / t < 2 * l * / s) by (apply Rmult_lt_compat_l; lra).
    assert (0 < 2 * l * / t) by (apply Rmult_lt_0_compat; lra). assert (0 < b * / t) by nra.
    apply sqrt_lt_1; [nra | nra |]. apply Rmult_le_0_lt_compat; lra.
Qed.
End Mixture.
