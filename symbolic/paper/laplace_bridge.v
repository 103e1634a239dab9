(* The transcript of any number of adaptive looks at the Laplace process, sampled look by look from its reverse kernel with
   the atom at the last release, has the likelihood ratio of one Laplace look at the last time, in every dimension with
   independent coordinates; so the loss is at most the l1-distance over that time (N08). Densities and atoms of the
   noisy thresholds shift together at the price of the last look (R08). *)
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Definition lap (b z : R) : R := exp (- Rabs z / b) / (2 * b).
(* the forward kernel from time s to time t: it stays with probability (s/t)^2 and else adds Lap(t) *)
Definition stays (s t : R) : R := (s / t) * (s / t).
Definition jumps (s t z : R) : R := (1 - stays s t) * lap t z.

(* the reverse kernel of the noise, from z at time t to y at time s: a density, and an atom at y = z *)
Definition reverse_density (y z s t : R) : R :=
  (1 - stays s t) / (2 * s) * exp (- Rabs y / s - Rabs (z - y) / t + Rabs z / t).
Definition reverse_atom (z s t : R) : R := s / t * exp (- Rabs z * (/ s - / t)).

Lemma lap_pos : forall b z, 0 < b -> 0 < lap b z.
Proof. intros b z Hb. unfold lap. apply Rdiv_lt_0_compat; [apply exp_pos | lra]. Qed.

(* Bayes, away from the atom and on it *)
Theorem bayes_density : forall y z s t, 0 < s -> 0 < t ->
  lap t z * reverse_density y z s t = lap s y * jumps s t (z - y).
Proof.
  intros y z s t Hs Ht. unfold lap, reverse_density, jumps, lap.
  replace (exp (- Rabs z / t) / (2 * t) *
      ((1 - stays s t) / (2 * s) * exp (- Rabs y / s - Rabs (z - y) / t + Rabs z / t)))
    with ((1 - stays s t) / (2 * s) / (2 * t) *
      (exp (- Rabs z / t) * exp (- Rabs y / s - Rabs (z - y) / t + Rabs z / t))) by (field; lra).
  replace (exp (- Rabs y / s) / (2 * s) * ((1 - stays s t) * (exp (- Rabs (z - y) / t) / (2 * t))))
    with ((1 - stays s t) / (2 * s) / (2 * t) * (exp (- Rabs y / s) * exp (- Rabs (z - y) / t))) by (field; lra).
  rewrite <- !exp_plus. f_equal. f_equal. field. lra.
Qed.

Theorem bayes_atom : forall z s t, 0 < s -> 0 < t -> lap t z * reverse_atom z s t = lap s z * stays s t.
Proof.
  intros z s t Hs Ht. unfold lap, reverse_atom, stays.
  replace (exp (- Rabs z / t) / (2 * t) * (s / t * exp (- Rabs z * (/ s - / t))))
    with (s / t / (2 * t) * (exp (- Rabs z / t) * exp (- Rabs z * (/ s - / t)))) by (field; lra).
  replace (exp (- Rabs z / s) / (2 * s) * (s / t * (s / t))) with (s / t / (2 * t) * exp (- Rabs z / s)) by (field; lra).
  rewrite <- exp_plus. f_equal. f_equal. field. lra.
Qed.

Definition vec := nat -> R.
Fixpoint product (d : nat) (p : nat -> R) : R := match d with O => 1 | S k => product k p * p k end.
Fixpoint l1 (d : nat) (v : vec) : R := match d with O => 0 | S k => l1 k v + Rabs (v k) end.
Definition sub (u v : vec) : vec := fun i => u i - v i.

Lemma product_pos : forall d p, (forall i, 0 < p i) -> 0 < product d p.
Proof. intros d p H. induction d; simpl; [lra | apply Rmult_lt_0_compat; auto]. Qed.

Lemma product_mult : forall d p q, product d (fun i => p i * q i) = product d p * product d q.
Proof. intros d p q. induction d as [|k IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma product_ext : forall d p q, (forall i, p i = q i) -> product d p = product d q.
Proof. intros d p q H. induction d as [|k IH]; simpl; [reflexivity | rewrite IH, H; reflexivity]. Qed.

Section Mechanism.
Variable d : nat.
Variable T : list vec -> R.    (* the next time, from the releases seen so far, latest first *)

(* One coordinate of one look, relative to Lebesgue measure plus the point mass at the last release. *)
Definition next (nu last y s t : R) : R :=
  if Req_EM_T y last then reverse_atom (last - nu) s t else reverse_density (y - nu) (last - nu) s t.
Definition between (last y s t : R) : R := if Req_EM_T y last then stays s t else jumps s t (last - y).

Definition look (nu : vec) (past : list vec) (y : vec) : R :=
  match past with
  | [] => product d (fun i => lap (T []) (y i - nu i))
  | last :: older => product d (fun i => next (nu i) (last i) (y i) (T past) (T older))
  end.
Fixpoint joint (nu : vec) (ys : list vec) : R :=
  match ys with [] => 1 | y :: past => joint nu past * look nu past y end.

(* what lies between looks: nu does not occur in it *)
Fixpoint rest (ys : list vec) : R :=
  match ys with
  | [] => 1
  | y :: past => rest past *
      match past with [] => 1 | last :: older => product d (fun i => between (last i) (y i) (T past) (T older)) end
  end.

Lemma one_coordinate : forall nu last y s t, 0 < s -> 0 < t ->
  lap t (last - nu) * next nu last y s t = lap s (y - nu) * between last y s t.
Proof.
  intros nu last y s t Hs Ht. unfold next, between. destruct (Req_EM_T y last) as [H|H].
  - rewrite H. apply bayes_atom; assumption.
  - replace (last - y) with ((last - nu) - (y - nu)) by ring. apply bayes_density; assumption.
Qed.

Theorem laplace_telescopes : (forall ys, 0 < T ys) -> forall nu ys y,
  joint nu (y :: ys) = product d (fun i => lap (T ys) (y i - nu i)) * rest (y :: ys).
Proof.
  intros HT nu ys. induction ys as [|last older IH]; intro y.
  - simpl. ring.
  - change (joint nu (y :: last :: older)) with (joint nu (last :: older) * look nu (last :: older) y).
    change (rest (y :: last :: older)) with (rest (last :: older) *
      product d (fun i => between (last i) (y i) (T (last :: older)) (T older))).
    rewrite IH. cbn [look].
    assert (E : product d (fun i => lap (T older) (last i - nu i)) *
        product d (fun i => next (nu i) (last i) (y i) (T (last :: older)) (T older))
      = product d (fun i => lap (T (last :: older)) (y i - nu i)) *
        product d (fun i => between (last i) (y i) (T (last :: older)) (T older))).
    { rewrite <- !product_mult. apply product_ext. intro i. apply one_coordinate; apply HT. }
    rewrite Rmult_assoc, (Rmult_comm (rest _)), <- Rmult_assoc, E. ring.
Qed.

Lemma lap_shift : forall b z c, 0 < b -> lap b z <= exp (Rabs c / b) * lap b (z + c).
Proof.
  intros b z c Hb. unfold lap.
  replace (exp (Rabs c / b) * (exp (- Rabs (z + c) / b) / (2 * b)))
    with (exp (Rabs c / b + - Rabs (z + c) / b) / (2 * b)) by (rewrite exp_plus; field; lra).
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|].
  pose proof (Rabs_triang z c).
  replace (Rabs c / b + - Rabs (z + c) / b) with ((Rabs c - Rabs (z + c)) / b) by (field; lra).
  assert (H0 : - Rabs z / b <= (Rabs c - Rabs (z + c)) / b).
  { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | lra]. }
  destruct H0 as [H0|H0]; [apply Rlt_le, exp_increasing, H0 | rewrite H0; lra].
Qed.

Lemma laps_shift : forall b nu mu y, 0 < b ->
  product d (fun i => lap b (y i - nu i)) <= exp (l1 d (sub nu mu) / b) * product d (fun i => lap b (y i - mu i)).
Proof.
  intros b nu mu y Hb. induction d as [|k IH]; simpl.
  - unfold Rdiv. rewrite Rmult_0_l, exp_0. lra.
  - unfold Rdiv in *. rewrite Rmult_plus_distr_r, exp_plus.
    pose proof (lap_shift b (y k - nu k) (nu k - mu k) Hb) as H. unfold Rdiv in H.
    replace (y k - nu k + (nu k - mu k)) with (y k - mu k) in H by ring. unfold sub at 2.
    match goal with |- _ <= ?e1 * ?e2 * (?p * ?q) => replace (e1 * e2 * (p * q)) with ((e1 * p) * (e2 * q)) by ring end.
    apply Rmult_le_compat; [apply Rlt_le, product_pos; intro; apply lap_pos; lra | apply Rlt_le, lap_pos; lra | exact IH |
      exact H].
Qed.

Lemma stays_bounds : forall s t, 0 < s -> s <= t -> 0 <= stays s t <= 1.
Proof.
  intros s t Hs Ht. unfold stays.
  assert (0 <= s / t <= 1); [|split; [apply Rmult_le_pos; lra | rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra]].
  split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply (Rmult_le_reg_r t); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma rest_nonneg : (forall ys, 0 < T ys) -> (forall y ys, T (y :: ys) <= T ys) -> forall ys, 0 <= rest ys.
Proof.
  intros HT Hdown. induction ys as [|y past IH]; simpl; [lra|]. apply Rmult_le_pos; [exact IH|].
  destruct past as [|last older]; [lra|]. pose proof (HT older) as H0. pose proof (HT (last :: older)) as H1.
  pose proof (Hdown last older) as H2.
  pose proof (stays_bounds _ _ H1 H2) as H3.
  induction d as [|k IHd]; simpl; [lra|]. apply Rmult_le_pos; [exact IHd|]. unfold between, jumps.
  destruct (Req_EM_T (y k) (last k)); [lra|]. apply Rmult_le_pos; [lra|]. apply Rlt_le, lap_pos, H0.
Qed.

(* ex-post private with the level Delta_1 / T of the last time, with no failure probability *)
Theorem laplace_loss : (forall ys, 0 < T ys) -> (forall y ys, T (y :: ys) <= T ys) -> forall nu mu ys y,
  joint nu (y :: ys) <= exp (l1 d (sub nu mu) / T ys) * joint mu (y :: ys).
Proof.
  intros HT Hdown nu mu ys y. rewrite !(laplace_telescopes HT), <- Rmult_assoc.
  apply Rmult_le_compat_r; [apply rest_nonneg; assumption|]. apply laps_shift, HT.
Qed.
End Mechanism.

(* R08: a chain of noisy thresholds s_n, ..., s_1, latest first, by the forward walk: its density relative to the measure
   with an atom at the neighbour; all of them shifted by D cost exp(|D|/t_n), for the time t_n of the last alone. *)
Fixpoint chain (t : nat -> R) (n : nat) (s : nat -> R) : R :=
  match n with
  | O => 1
  | S k => chain t k s * (if Req_EM_T (s k) (s (S k)) then stays (t (S k)) (t k) else jumps (t (S k)) (t k) (s k - s (S k)))
  end.
Definition thresholds (t : nat -> R) (n : nat) (s : nat -> R) : R := lap (t n) (s n) * chain t n s.

Lemma chain_shift : forall t n s D, chain t n (fun i => s i + D) = chain t n s.
Proof.
  intros t n s D. induction n as [|k IH]; simpl; [reflexivity|]. rewrite IH. f_equal.
  destruct (Req_EM_T (s k + D) (s (S k) + D)) as [H|H], (Req_EM_T (s k) (s (S k))) as [H0|H0]; try lra.
  f_equal. ring.
Qed.

Lemma chain_nonneg : forall t, (forall m, 0 < t m) -> (forall m, t (S m) <= t m) -> forall n s, 0 <= chain t n s.
Proof.
  intros t Ht Hdown. induction n as [|k IH]; intro s; simpl; [lra|]. apply Rmult_le_pos; [apply IH|].
  pose proof (stays_bounds _ _ (Ht (S k)) (Hdown k)). destruct (Req_EM_T (s k) (s (S k))); [lra|]. unfold jumps.
  apply Rmult_le_pos; [lra|]. apply Rlt_le, lap_pos, Ht.
Qed.

Theorem common_shift : forall t, (forall m, 0 < t m) -> (forall m, t (S m) <= t m) -> forall n s D,
  thresholds t n s <= exp (Rabs D / t n) * thresholds t n (fun i => s i + D).
Proof.
  intros t Ht Hdown n s D. unfold thresholds. rewrite chain_shift, <- Rmult_assoc.
  apply Rmult_le_compat_r; [apply chain_nonneg; assumption | apply lap_shift, Ht].
Qed.
