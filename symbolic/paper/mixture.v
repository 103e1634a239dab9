(* The mixture of exponential martingales over a normal prior completes a square (M05, M06); it reaches 1/delta exactly
   on the printed curve (B08, M06); any finite number of looks finds the curve reached with probability at most delta. *)
From Coq Require Import Reals Lra Psatz List.
From nrverify Require Import boundary_algebra martingales.
Open Scope R_scope.

Definition density (m v x : R) : R := / sqrt (2 * PI * v) * exp (- (x - m)² / (2 * v)).
Definition normal_mixture (x t rho : R) : R := sqrt (rho / (t + rho)) * exp (x * x / (2 * (t + rho))).
Definition printed_curve (rho delta t : R) : R := sqrt (2 * (t + rho) * ln (/ delta * sqrt ((t + rho) / rho))).

(* prior N(0, 1/rho) times the exponential martingale = the mixture times a normal density in the rate *)
Theorem mixture_completes_the_square : forall x t rho lam, 0 <= t -> 0 < rho ->
  exponential lam t x * density 0 (/ rho) lam
  = normal_mixture x t rho * density (x / (t + rho)) (/ (t + rho)) lam.
Proof.
  intros x t rho lam Ht Hr. pose proof PI_RGT_0. unfold density, normal_mixture, exponential, compensator.
  assert (H1 : 0 < t + rho) by lra.
  assert (Hn : sqrt (rho / (t + rho)) * / sqrt (2 * PI * / (t + rho)) = / sqrt (2 * PI * / rho)).
  { assert (0 < / (t + rho)) by (apply Rinv_0_lt_compat; lra). assert (0 < / rho) by (apply Rinv_0_lt_compat; lra).
    replace (2 * PI * / (t + rho)) with ((2 * PI * / rho) * (rho / (t + rho))) by (field; lra).
    assert (H3 : 0 < rho / (t + rho)) by (apply Rdiv_lt_0_compat; lra). assert (H4 : 0 < 2 * PI * / rho) by nra.
    rewrite sqrt_mult by lra. pose proof (sqrt_lt_R0 _ H3). pose proof (sqrt_lt_R0 _ H4). field. lra. }
  rewrite <- Hn.
  match goal with |- exp ?x * (?n1 * ?n2 * exp ?y) = ?n1 * exp ?z * (?n2 * exp ?v) =>
    replace (exp x * (n1 * n2 * exp y)) with (n1 * n2 * exp (x + y)) by (rewrite exp_plus; ring);
    replace (n1 * exp z * (n2 * exp v)) with (n1 * n2 * exp (z + v)) by (rewrite exp_plus; ring) end.
  f_equal. f_equal. unfold Rsqr. field. lra.
Qed.

Lemma ratio_ge_1 : forall t rho, 0 <= t -> 0 < rho -> 1 <= (t + rho) / rho.
Proof.
  intros t rho Ht Hr. apply (Rmult_le_reg_r rho); [lra|].
  replace ((t + rho) / rho * rho) with (t + rho) by (field; lra). lra.
Qed.

Theorem curves_agree : forall rho delta t, 0 <= t -> 0 < rho -> 0 < delta ->
  printed_curve rho delta t = curve rho (ln (/ delta)) t.
Proof.
  intros rho delta t Ht Hr Hd. unfold printed_curve, curve. pose proof (ratio_ge_1 t rho Ht Hr) as H.
  assert (0 < / delta) by (apply Rinv_0_lt_compat; lra).
  replace (1 + t / rho) with ((t + rho) / rho) by (field; lra). set (q := (t + rho) / rho) in *. assert (Hq : 0 < sqrt q) by (apply sqrt_lt_R0; lra).
  assert (E : ln q = 2 * ln (sqrt q)).
  { rewrite <- (sqrt_sqrt q) at 1 by lra. rewrite ln_mult by lra. ring. }
  rewrite ln_mult, E by lra. f_equal. ring.
Qed.

Theorem mixture_on_the_curve : forall x t rho delta, 0 <= t -> 0 < rho -> 0 < delta < 1 -> 0 <= x ->
  (normal_mixture x t rho = / delta <-> x = printed_curve rho delta t).
Proof.
  intros x t rho delta Ht Hr Hd Hx. unfold normal_mixture, printed_curve. assert (H1 : 0 < t + rho) by lra.
  pose proof (ratio_ge_1 t rho Ht Hr) as Hq1.
  assert (Hs : 0 < sqrt ((t + rho) / rho)) by (apply sqrt_lt_R0; lra).
  assert (Hi : sqrt (rho / (t + rho)) = / sqrt ((t + rho) / rho)).
  { replace (rho / (t + rho)) with (/ ((t + rho) / rho)) by (field; lra). apply sqrt_inv. }
  assert (Hdi : 0 < / delta) by (apply Rinv_0_lt_compat; lra).
  assert (1 <= sqrt ((t + rho) / rho)) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; exact Hq1).
  set (q := sqrt ((t + rho) / rho)) in *. rewrite Hi. split; intro H0.
  - assert (Hx2 : exp (x * x / (2 * (t + rho))) = / delta * q) by (rewrite <- H0; field; lra).
    rewrite <- Hx2, ln_exp. replace (2 * (t + rho) * (x * x / (2 * (t + rho)))) with (x * x) by (field; lra).
    rewrite sqrt_square; auto.
  - assert (1 < / delta) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
    assert (0 <= ln (/ delta * q)) by (rewrite <- ln_1; apply Rlt_le, ln_increasing; nra).
    rewrite H0, sqrt_sqrt by (apply Rmult_le_pos; lra).
    replace (2 * (t + rho) * ln (/ delta * q) / (2 * (t + rho))) with (ln (/ delta * q)) by (field; lra).
    rewrite exp_ln by nra. field. lra.
Qed.

Lemma mixture_grows : forall x y t rho, 0 <= t -> 0 < rho -> 0 <= x <= y ->
  normal_mixture x t rho <= normal_mixture y t rho.
Proof.
  intros x y t rho Ht Hr Hx. unfold normal_mixture. apply Rmult_le_compat_l; [apply sqrt_pos|]. apply exp_le.
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | apply Rmult_le_compat; lra].
Qed.

Theorem mixture_is_safe : forall rho delta steps, 0 < rho -> 0 < delta < 1 ->
  (forall s, In s steps -> forward s /\ supermartingale (fun t x => normal_mixture x t rho) s) ->
  reaches (printed_curve rho delta) steps 0 0 <= delta.
Proof.
  intros rho delta steps Hr Hd Hs.
  replace delta with (normal_mixture 0 0 rho / / delta) at 2.
  - apply (ville (fun t x => normal_mixture x t rho)); [apply Rinv_0_lt_compat; lra | | | lra | exact Hs].
    + intros t x Ht. apply Rmult_le_pos; [apply sqrt_pos | apply Rlt_le, exp_pos].
    + intros t x Ht Hx. assert (H0 : 0 <= printed_curve rho delta t) by apply sqrt_pos.
      rewrite <- (proj2 (mixture_on_the_curve _ t rho delta Ht Hr Hd H0) eq_refl). apply mixture_grows; lra.
  - unfold normal_mixture. replace (rho / (0 + rho)) with 1 by (field; lra). rewrite sqrt_1.
    replace (0 * 0 / (2 * (0 + rho))) with 0 by (field; lra). rewrite exp_0. field. lra.
Qed.
