(* The tuned linear boundary: no line needs less time at level e, and the tuned one attains it (B17); lines touch their
   envelope at b/a only (M04). *)
From Coq Require Import Reals Lra Psatz.
From nrverify Require Import boundary_algebra.
Open Scope R_scope.

Definition slope (l e D : R) : R := (sqrt (l * l + l * e) - l) / D.
Definition intercept (l a : R) : R := l / (2 * a).
Definition root_gap (l e : R) : R := sqrt (l + e) - sqrt l.
Definition best_time (l e D : R) : R := D * D / (2 * (root_gap l e * root_gap l e)).

Section Linear.
Variables D l : R.    (* sensitivity, log(1/delta) *)
Hypothesis HD : 0 < D.
Hypothesis Hl : 0 < l.

Lemma root_gap_pos : forall e, 0 < e -> 0 < root_gap l e.
Proof. intros e He. unfold root_gap. assert (sqrt l < sqrt (l + e)) by (apply sqrt_lt_1; lra). lra. Qed.

Lemma slope_factors : forall e, 0 < e -> D * slope l e D = sqrt l * root_gap l e.
Proof.
  intros e He. unfold slope, root_gap.
  replace (l * l + l * e) with (l * (l + e)) by ring. rewrite sqrt_mult by lra.
  rewrite Rmult_minus_distr_l, sqrt_sqrt by lra. field. lra.
Qed.

Lemma level_factors : forall e, 0 < e -> e = root_gap l e * (root_gap l e + 2 * sqrt l).
Proof.
  intros e He. unfold root_gap.
  replace ((sqrt (l + e) - sqrt l) * (sqrt (l + e) - sqrt l + 2 * sqrt l))
    with (sqrt (l + e) * sqrt (l + e) - sqrt l * sqrt l) by ring.
  rewrite !sqrt_sqrt by lra. ring.
Qed.

Theorem slope_admissible : forall e, 0 < e -> 0 < slope l e D /\ D * slope l e D < e.
Proof.
  intros e He. pose proof (root_gap_pos e He) as Hg. pose proof (sqrt_lt_R0 l Hl) as Hr.
  pose proof (slope_factors e He) as Ea. pose proof (level_factors e He) as Ee. split.
  - apply (Rmult_lt_reg_l D); [lra|]. rewrite Ea, Rmult_0_r. apply Rmult_lt_0_compat; lra.
  - rewrite Ea. rewrite Ee at 2. nra.
Qed.

Theorem optimum_is_a_lower_bound : forall e a, 0 < e -> 0 < a -> D * a < e ->
  best_time l e D <= linear_time D a (intercept l a) e.
Proof.
  intros e a He Ha Hae. pose proof (root_gap_pos e He) as Hg. pose proof (sqrt_lt_R0 l Hl) as Hr.
  pose proof (level_factors e He) as Ee. unfold best_time, linear_time, intercept.
  set (g := root_gap l e) in *. set (k := sqrt l) in *.
  assert (Hk : l = k * k) by (unfold k; rewrite sqrt_sqrt; lra). rewrite Hk.
  assert (Hden : 0 < g * (g + 2 * k) - D * a) by (rewrite <- Ee; lra).
  rewrite Ee.
  assert (Hdiff : D * (D / 2 + k * k / (2 * a)) / (g * (g + 2 * k) - D * a) - D * D / (2 * (g * g))
    = D * (D * a - k * g)² / (2 * a * (g * g) * (g * (g + 2 * k) - D * a))).
  { unfold Rsqr. field. repeat split; apply Rgt_not_eq; nra. }
  assert (0 <= D * (D * a - k * g)² / (2 * a * (g * g) * (g * (g + 2 * k) - D * a))).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply Rle_0_sqr]|].
    apply Rlt_le, Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra. }
  lra.
Qed.

Theorem optimum_is_attained : forall e, 0 < e ->
  linear_time D (slope l e D) (intercept l (slope l e D)) e = best_time l e D.
Proof.
  intros e He. pose proof (root_gap_pos e He) as Hg. pose proof (sqrt_lt_R0 l Hl) as Hr.
  pose proof (level_factors e He) as Ee. pose proof (slope_factors e He) as Ea.
  unfold best_time, linear_time, intercept.
  set (g := root_gap l e) in *. set (k := sqrt l) in *. set (a := slope l e D) in *.
  assert (Hk : l = k * k) by (unfold k; rewrite sqrt_sqrt; lra).
  assert (Eas : a = k * g / D) by (rewrite <- Ea; field; lra).
  rewrite Eas, Ee, Hk. field. repeat split; apply Rgt_not_eq; nra.
Qed.

Theorem envelope : forall a b t, 0 < a -> 0 < b -> 0 < t -> 2 * a * b = l ->
  sqrt (2 * l * t) <= a * t + b /\ (sqrt (2 * l * t) = a * t + b <-> t = b / a).
Proof.
  intros a b t Ha Hb Ht Hab.
  assert (Hp : 0 < a * t + b) by nra.
  assert (Hsq : 2 * l * t = (a * t + b) * (a * t + b) - (a * t - b)²) by (rewrite <- Hab; unfold Rsqr; ring).
  split.
  - apply Rsqr_incr_0_var; [|lra]. rewrite Rsqr_sqrt by nra. unfold Rsqr at 1. pose proof (Rle_0_sqr (a * t - b)). lra.
  - split; intro H.
    + assert (Hz : (a * t - b)² = 0).
      { assert (sqrt (2 * l * t) * sqrt (2 * l * t) = 2 * l * t) by (apply sqrt_sqrt; nra). rewrite H in *. lra. }
      apply Rsqr_0_uniq in Hz. replace b with (a * t) by lra. field. lra.
    + assert (H0 : a * t - b = 0) by (rewrite H; field; lra).
      rewrite Hsq, H0. unfold Rsqr. rewrite Rmult_0_r, Rminus_0_r. apply sqrt_square. lra.
Qed.
End Linear.
