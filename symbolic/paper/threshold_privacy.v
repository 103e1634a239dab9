(* The bits of ReducedAboveThreshold, all rounds, all levels, all utilities (R05, R07, R08): halting at round n costs at
   most exp(e_n). Given the parameters released so far, levels, utilities and thresholds are numbers. The noisy threshold
   is built from its last value backwards, by the forward walk of the Laplace process: from round m+1 to round m it stays
   with probability r_m and else adds Lap(t_m). *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition threshold_scale (D e : R) : R := 2 * D / e.
Definition query_scale (D e : R) : R := 4 * D / e.

(* an integral over the line, as a limit *)
Definition line (f : R -> R) (l : R) : Prop := is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) l.

Lemma line_order : filter_prod (Rbar_locally m_infty) (Rbar_locally p_infty) (fun ab => fst ab <= snd ab).
Proof.
  apply (Filter_prod _ _ _ (fun a => a < 0) (fun b => 0 < b)).
  - exists 0. tauto.
  - exists 0. tauto.
  - simpl. intros. lra.
Qed.

Lemma line_nonneg : forall f l, (forall x, 0 <= f x) -> line f l -> 0 <= l.
Proof.
  intros f l Hf Hl. pose proof (norm_ge_0 l).
  assert (norm l <= l); [|lra].
  apply (RInt_gen_norm (V := R_CompleteNormedModule) (Fa := Rbar_locally m_infty) (Fb := Rbar_locally p_infty) f f l l
    line_order).
  - apply filter_forall. intros ab x _. unfold norm; simpl. unfold abs; simpl. rewrite Rabs_pos_eq; auto. lra.
  - exact Hl.
  - exact Hl.
Qed.

Lemma line_le : forall f g a b, (forall x, f x <= g x) -> line f a -> line g b -> a <= b.
Proof.
  intros f g a b H Ha Hb. pose proof (is_RInt_gen_minus g f b a Hb Ha) as Hm.
  assert (0 <= minus b a); [|unfold minus, plus, opp in *; simpl in *; lra].
  apply (line_nonneg (fun y => minus (g y) (f y))); [|exact Hm].
  intro x. specialize (H x). unfold minus, plus, opp; simpl. lra.
Qed.

Lemma line_scal : forall k f l, line f l -> line (fun x => k * f x) (k * l).
Proof. intros k f l H. exact (is_RInt_gen_scal f k l H). Qed.

Lemma line_shift : forall f l c, line f l -> line (fun x => f (x + c)) l.
Proof.
  intros f l c H P HP. specialize (H P HP).
  destruct H as [Q1 Q2 [M1 H1] [M2 H2] H].
  apply (Filter_prod _ _ _ (fun a => a < M1 - c) (fun b => M2 - c < b)).
  - exists (M1 - c). tauto.
  - exists (M2 - c). tauto.
  - intros x y Hx Hy.
    destruct (H (x + c) (y + c)) as [v [Hv1 Hv2]]; [apply H1; lra | apply H2; lra |].
    exists v. split; [|exact Hv2]. simpl in *.
    apply (is_RInt_ext (fun z => scal 1 (f (1 * z + c)))).
    { intros z _. unfold scal; simpl; unfold mult; simpl. rewrite !Rmult_1_l. reflexivity. }
    apply (is_RInt_comp_lin (V := R_NormedModule) f 1 c x y v).
    rewrite !Rmult_1_l. exact Hv1.
Qed.

Definition lap (b z : R) : R := exp (- Rabs z / b) / (2 * b).
(* P(xi >= z) for xi of law Lap(b) *)
Definition tail (b z : R) : R := if Rle_dec z 0 then 1 - exp (z / b) / 2 else exp (- z / b) / 2.

Lemma exp_le : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [H|H]; [apply Rlt_le, exp_increasing, H | rewrite H; lra]. Qed.

Lemma lap_shift : forall b D z, 0 < b -> 0 <= D -> lap b z <= exp (D / b) * lap b (z + D).
Proof.
  intros b D z Hb HD. unfold lap. replace (exp (D / b) * (exp (- Rabs (z + D) / b) / (2 * b)))
    with (exp (D / b + - Rabs (z + D) / b) / (2 * b)) by (rewrite exp_plus; field; lra).
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|]. apply exp_le.
  replace (D / b + - Rabs (z + D) / b) with ((D - Rabs (z + D)) / b) by (field; lra).
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|].
  pose proof (Rabs_triang z D). rewrite (Rabs_pos_eq D HD) in *. lra.
Qed.

Lemma tail_antitone : forall b y z, 0 < b -> y <= z -> tail b z <= tail b y.
Proof.
  intros b y z Hb H. assert (0 < / b) by (apply Rinv_0_lt_compat; lra). unfold tail, Rdiv.
  destruct (Rle_dec z 0), (Rle_dec y 0).
  - assert (exp (y * / b) <= exp (z * / b)) by (apply exp_le, Rmult_le_compat_r; lra). lra.
  - lra.
  - assert (exp (- z * / b) <= 1) by (rewrite <- exp_0; apply exp_le; nra).
    assert (exp (y * / b) <= 1) by (rewrite <- exp_0; apply exp_le; nra). lra.
  - assert (exp (- z * / b) <= exp (- y * / b)) by (apply exp_le, Rmult_le_compat_r; lra). lra.
Qed.

Lemma tail_bounds : forall b z, 0 < b -> 0 <= tail b z <= 1.
Proof.
  intros b z Hb. assert (0 < / b) by (apply Rinv_0_lt_compat; lra). unfold tail, Rdiv. destruct (Rle_dec z 0).
  - pose proof (exp_pos (z * / b)). assert (exp (z * / b) <= 1) by (rewrite <- exp_0; apply exp_le; nra). lra.
  - pose proof (exp_pos (- z * / b)). assert (exp (- z * / b) <= 1) by (rewrite <- exp_0; apply exp_le; nra). lra.
Qed.

(* R07: moving the argument by c >= 0 changes a Laplace tail by at most exp(c/b) *)
Theorem tail_shift : forall b c z, 0 < b -> 0 <= c -> tail b z <= exp (c / b) * tail b (z + c).
Proof.
  intros b c z Hb Hc. assert (Hi : 0 < / b) by (apply Rinv_0_lt_compat; lra).
  assert (Hk : 1 <= exp (c * / b)) by (rewrite <- exp_0; apply exp_le; nra).
  unfold tail, Rdiv. destruct (Rle_dec z 0), (Rle_dec (z + c) 0).
  - (* 1 - p/2 <= k (1 - k p/2), with k p <= 1 *)
    rewrite Rmult_plus_distr_r, exp_plus. set (k := exp (c * / b)) in *. set (p := exp (z * / b)) in *.
    assert (0 < p) by apply exp_pos.
    assert (p * k <= 1) by (unfold p, k; rewrite <- exp_plus, <- exp_0; apply exp_le; nra).
    assert (p <= 1) by nra.
    assert (0 <= (k - 1) * (1 - (p * k + p) * / 2)) by (apply Rmult_le_pos; lra). lra.
  - (* 1 - p/2 <= 1/(2p): (1-p)^2 >= 0 *)
    replace (exp (c * / b) * (exp (- (z + c) * / b) * / 2)) with (exp (- (z * / b)) / 2).
    2:{ replace (- (z * / b)) with (c * / b + - (z + c) * / b) by (field; lra). rewrite exp_plus. field. }
    rewrite exp_Ropp. set (p := exp (z * / b)). assert (Hp : 0 < p) by apply exp_pos.
    apply (Rmult_le_reg_l (2 * p)); [lra|]. replace (2 * p * (/ p / 2)) with 1 by (field; lra).
    pose proof (Rle_0_sqr (1 - p)). unfold Rsqr in *. lra.
  - exfalso. lra.
  - rewrite <- Rmult_assoc, <- exp_plus. replace (c * / b + - (z + c) * / b) with (- z * / b) by (field; lra). lra.
Qed.

(* any smaller exponent is refuted *)
Theorem tail_shift_is_sharp : forall b c k z, 0 < b -> 0 <= c -> 0 < z -> k < c / b ->
  exp k * tail b (z + c) < tail b z.
Proof.
  intros b c k z Hb Hc Hz Hk. unfold tail. destruct (Rle_dec z 0), (Rle_dec (z + c) 0); try (exfalso; lra).
  replace (exp (- z / b) / 2) with (exp (c / b) * (exp (- (z + c) / b) / 2)).
  - apply Rmult_lt_compat_r; [apply Rdiv_lt_0_compat; [apply exp_pos | lra] | apply exp_increasing, Hk].
  - replace (- z / b) with (c / b + - (z + c) / b) by (field; lra). rewrite exp_plus. field.
Qed.

Section Rounds.
Variables (D : R) (t b r : nat -> R).   (* sensitivity; threshold time, query scale, probability of staying, by round *)
Hypothesis HD : 0 <= D.
Hypothesis Ht : forall m, 0 < t m.
Hypothesis Hb : forall m, 0 < b m.
Hypothesis Hr : forall m, 0 <= r m <= 1.

(* P(u_m + xi_m < s) for a noisy threshold s *)
Definition silent (u : nat -> R) (m : nat) (s : R) : R := 1 - tail (b m) (s - u m).

(* K m s = P(rounds 0 .. m-1 print 0 | the noisy threshold of round m is s) *)
Definition quiet (u : nat -> R) (K : nat -> R -> R) : Prop :=
  (forall s, K O s = 1) /\
  (forall m s, exists J, line (fun y => lap (t m) y * (silent u m (s + y) * K m (s + y))) J /\
     K (S m) s = r m * (silent u m s * K m s) + (1 - r m) * J).

(* P(0^n 1): rounds 0 .. n-1 are silent, round n halts *)
Definition halts_at (u : nat -> R) (K : nat -> R -> R) (n : nat) (p : R) : Prop :=
  line (fun s => lap (t n) s * (K n s * tail (b n) (s - u n))) p.

Lemma lap_pos : forall m z, 0 <= lap (t m) z.
Proof. intros m z. unfold lap. apply Rlt_le, Rdiv_lt_0_compat; [apply exp_pos | specialize (Ht m); lra]. Qed.

Lemma silent_bounds : forall u m s, 0 <= silent u m s.
Proof. intros. unfold silent. pose proof (tail_bounds (b m) (s - u m) (Hb m)). lra. Qed.

Lemma quiet_pos : forall u K, quiet u K -> forall m s, 0 <= K m s.
Proof.
  intros u K [H0 HS]. induction m as [|m IH]; intro s; [rewrite H0; lra|].
  destruct (HS m s) as [J [HJ E]]. rewrite E. specialize (Hr m).
  assert (0 <= J).
  { apply (line_nonneg _ _) with (2 := HJ). intro y. apply Rmult_le_pos; [apply lap_pos|].
    apply Rmult_le_pos; [apply silent_bounds | apply IH]. }
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra. apply Rmult_le_pos; [apply silent_bounds | apply IH].
Qed.

Lemma quiet_shift : forall u v Ku Kv, (forall m, Rabs (u m - v m) <= D) -> quiet u Ku -> quiet v Kv ->
  forall m s, Ku m s <= Kv m (s + D).
Proof.
  intros u v Ku Kv Huv Hu Hv. pose proof (quiet_pos u Ku Hu) as Pu.
  induction m as [|m IH]; intro s.
  - rewrite (proj1 Hu), (proj1 Hv). lra.
  - destruct (proj2 Hu m s) as [J [HJ E]]. destruct (proj2 Hv m (s + D)) as [J' [HJ' E']]. rewrite E, E'.
    assert (Hs : forall z, silent u m z * Ku m z <= silent v m (z + D) * Kv m (z + D)).
    { intro z. apply Rmult_le_compat; [apply silent_bounds | apply Pu | | apply IH].
      unfold silent. assert (tail (b m) (z + D - v m) <= tail (b m) (z - u m)); [|lra].
      apply tail_antitone; [apply Hb|]. specialize (Huv m). apply Rabs_le_between in Huv. lra. }
    assert (J <= J').
    { apply (line_le _ _ _ _) with (2 := HJ) (3 := HJ'). intro y. apply Rmult_le_compat_l; [apply lap_pos|].
      replace (s + D + y) with (s + y + D) by ring. apply Hs. }
    specialize (Hr m). apply Rplus_le_compat; apply Rmult_le_compat_l; try lra. apply Hs.
Qed.

Theorem bits_are_private : forall u v Ku Kv n p q,
  (forall m, Rabs (u m - v m) <= D) -> quiet u Ku -> quiet v Kv ->
  halts_at u Ku n p -> halts_at v Kv n q ->
  p <= exp (D / t n + 2 * D / b n) * q.
Proof.
  intros u v Ku Kv n p q Huv Hu Hv Hp Hq. rewrite exp_plus.
  pose proof (line_scal (exp (D / t n) * exp (2 * D / b n)) _ _ (line_shift _ _ D Hq)) as Hq'.
  apply (line_le _ _ _ _) with (2 := Hp) (3 := Hq'). intro s.
  pose proof (lap_shift (t n) D s (Ht n) HD) as L.
  pose proof (quiet_shift u v Ku Kv Huv Hu Hv n s) as Q.
  assert (G : tail (b n) (s - u n) <= exp (2 * D / b n) * tail (b n) (s + D - v n)).
  { eapply Rle_trans; [apply (tail_shift (b n) (2 * D) _ (Hb n)); lra|].
    apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]. apply tail_antitone; [apply Hb|].
    specialize (Huv n). apply Rabs_le_between in Huv. lra. }
  replace (exp (D / t n) * exp (2 * D / b n) * (lap (t n) (s + D) * (Kv n (s + D) * tail (b n) (s + D - v n))))
    with ((exp (D / t n) * lap (t n) (s + D)) * (Kv n (s + D) * (exp (2 * D / b n) * tail (b n) (s + D - v n)))) by ring.
  apply Rmult_le_compat; [apply lap_pos | | exact L | ].
  - apply Rmult_le_pos; [apply (quiet_pos u Ku Hu) | apply tail_bounds, Hb].
  - apply Rmult_le_compat; [apply (quiet_pos u Ku Hu) | apply tail_bounds, Hb | exact Q | exact G].
Qed.
End Rounds.

(* with the scales of the algorithm the factor is exp(e_n) *)
Theorem reduced_above_threshold : forall D (e r : nat -> R) u v Ku Kv n p q,
  0 < D -> (forall m, 0 < e m) -> (forall m, 0 <= r m <= 1) -> (forall m, Rabs (u m - v m) <= D) ->
  let t m := threshold_scale D (e m) in
  let b m := query_scale D (e m) in
  quiet t b r u Ku -> quiet t b r v Kv -> halts_at t b u Ku n p -> halts_at t b v Kv n q ->
  p <= exp (e n) * q.
Proof.
  intros D e r u v Ku Kv n p q HD He Hr Huv t b Hu Hv Hp Hq.
  assert (Ht : forall m, 0 < t m) by (intro m; specialize (He m); apply Rdiv_lt_0_compat; lra).
  assert (Hb : forall m, 0 < b m) by (intro m; specialize (He m); apply Rdiv_lt_0_compat; lra).
  replace (e n) with (D / t n + 2 * D / b n).
  - apply (bits_are_private D t b r) with (u := u) (v := v) (Ku := Ku) (Kv := Kv); try assumption; lra.
  - specialize (He n). unfold t, b, threshold_scale, query_scale. field. lra.
Qed.
