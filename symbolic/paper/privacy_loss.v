(* The transcript of any number of adaptive looks, sampled look by look from Brownian bridges, has the likelihood ratio
   of one Gaussian look at the last time: all n, all dimensions, all adaptive times, ties included (B01, A01, A13, A14,
   E09); the loss as a drifted projection of the noise and its bound (B03, B04, A19). *)
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Definition vec := nat -> R.
Fixpoint sq (d : nat) (v : vec) : R := match d with O => 0 | S k => sq k v + v k * v k end.
Fixpoint dot (d : nat) (u v : vec) : R := match d with O => 0 | S k => dot k u v + u k * v k end.
Definition add (u v : vec) : vec := fun i => u i + v i.
Definition sub (u v : vec) : vec := fun i => u i - v i.
Definition scale (c : R) (v : vec) : vec := fun i => c * v i.

(* the density of N(m, s I) at y, in d dimensions *)
Definition gauss (d : nat) (m : vec) (s : R) (y : vec) : R :=
  (/ sqrt (2 * PI * s)) ^ d * exp (- sq d (sub y m) / (2 * s)).

(* from a look at time t back to a look at time s < t: the share of the noise that is kept, and the fresh variance *)
Definition share (s t : R) : R := s / t.
Definition spread (s t : R) : R := s * (t - s) / t.

Section Mechanism.
Variable d : nat.
Variable T : list vec -> R.     (* the next time, from the releases seen so far, latest first *)

(* One look given the past. At a tie the reference measure is the point mass at the last release, density 1. *)
Definition look (nu : vec) (past : list vec) (y : vec) : R :=
  match past with
  | [] => gauss d nu (T []) y
  | last :: older =>
      let t := T older in let s := T past in
      if Req_EM_T s t then 1 else gauss d (add nu (scale (share s t) (sub last nu))) (spread s t) y
  end.

Fixpoint joint (nu : vec) (ys : list vec) : R :=
  match ys with [] => 1 | y :: past => joint nu past * look nu past y end.

(* the transcripts that can occur: positive, non-increasing times; a tie repeats the release *)
Fixpoint possible (ys : list vec) : Prop :=
  match ys with
  | [] => 0 < T []
  | y :: past => possible past /\ 0 < T ys /\
      match past with [] => True | last :: older => T past <= T older /\ (T past = T older -> y = last) end
  end.

(* the increments between looks: nu does not occur in them *)
Fixpoint rest (ys : list vec) : R :=
  match ys with
  | [] => 1
  | y :: past => rest past *
      match past with
      | [] => 1
      | last :: older => if Req_EM_T (T past) (T older) then 1 else gauss d last (T older - T past) y
      end
  end.

Lemma sq_bridge : forall (u v w : vec) s t, 0 < s -> s < t ->
  sq d (sub u v) / (2 * t) + sq d (sub w (add v (scale (share s t) (sub u v)))) / (2 * spread s t)
  = sq d (sub w v) / (2 * s) + sq d (sub w u) / (2 * (t - s)).
Proof.
  intros u v w s t Hs Ht. unfold share, spread. induction d as [|k IH]; simpl.
  - field; lra.
  - unfold sub, add, scale in *. rewrite !Rdiv_plus_distr.
    match goal with |- ?a + ?b + (?c + ?e) = ?f + ?g + (?h + ?i) =>
      replace (a + b + (c + e)) with ((a + c) + (b + e)) by ring;
      replace (f + g + (h + i)) with ((f + h) + (g + i)) by ring end.
    rewrite IH. f_equal. field. lra.
Qed.

Lemma two_pi_pos : forall x, 0 < x -> 0 < 2 * PI * x.
Proof. intros x Hx. pose proof PI_RGT_0. apply Rmult_lt_0_compat; lra. Qed.

Lemma norm_bridge : forall s t, 0 < s -> s < t ->
  / sqrt (2 * PI * t) * / sqrt (2 * PI * spread s t) = / sqrt (2 * PI * s) * / sqrt (2 * PI * (t - s)).
Proof.
  intros s t Hs Ht. pose proof PI_RGT_0.
  assert (Hv : 0 < spread s t) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  pose proof (two_pi_pos t ltac:(lra)). pose proof (two_pi_pos s Hs). pose proof (two_pi_pos (t - s) ltac:(lra)).
  pose proof (two_pi_pos _ Hv). rewrite <- !Rinv_mult, <- !sqrt_mult by lra. f_equal. f_equal. unfold spread. field. lra.
Qed.

(* Bayes: a look at t and the bridge to s are a look at s and the increment back to t *)
Lemma gauss_bridge : forall (u v w : vec) s t, 0 < s -> s < t ->
  gauss d v t u * gauss d (add v (scale (share s t) (sub u v))) (spread s t) w = gauss d v s w * gauss d u (t - s) w.
Proof.
  intros u v w s t Hs Ht. unfold gauss.
  match goal with |- (?a ^ d * ?e1) * (?b ^ d * ?e2) = (?c ^ d * ?e3) * (?f ^ d * ?e4) =>
    replace ((a ^ d * e1) * (b ^ d * e2)) with ((a * b) ^ d * (e1 * e2)) by (rewrite Rpow_mult_distr; ring);
    replace ((c ^ d * e3) * (f ^ d * e4)) with ((c * f) ^ d * (e3 * e4)) by (rewrite Rpow_mult_distr; ring) end.
  rewrite norm_bridge by assumption. f_equal. rewrite <- !exp_plus. f_equal.
  pose proof (sq_bridge u v w s t Hs Ht) as E. unfold Rdiv in *. lra.
Qed.

Theorem telescopes : forall nu ys y, possible (y :: ys) ->
  joint nu (y :: ys) = gauss d nu (T ys) y * rest (y :: ys).
Proof.
  intros nu ys. induction ys as [|last older IH]; intros y Hp.
  - simpl. ring.
  - destruct Hp as [Hp [_ [Hle Htie]]].
    change (joint nu (y :: last :: older)) with (joint nu (last :: older) * look nu (last :: older) y).
    change (rest (y :: last :: older)) with (rest (last :: older) *
      (if Req_EM_T (T (last :: older)) (T older) then 1 else gauss d last (T older - T (last :: older)) y)).
    rewrite (IH last Hp). cbn [look].
    assert (H0 : 0 < T (last :: older)) by (destruct Hp as [_ [Hq _]]; exact Hq).
    destruct (Req_EM_T (T (last :: older)) (T older)) as [E|E].
    + rewrite (Htie E), E. ring.
    + assert (Hlt : T (last :: older) < T older) by lra.
      pose proof (gauss_bridge last nu y _ _ H0 Hlt) as B.
      rewrite !Rmult_assoc, (Rmult_comm (rest _)), <- !Rmult_assoc, B. ring.
Qed.

Lemma gauss_pos : forall m s y, 0 < s -> 0 < gauss d m s y.
Proof.
  intros m s y Hs. unfold gauss. apply Rmult_lt_0_compat; [|apply exp_pos].
  apply pow_lt, Rinv_0_lt_compat, sqrt_lt_R0, two_pi_pos, Hs.
Qed.

Lemma time_pos : forall ys, possible ys -> 0 < T ys.
Proof. destruct ys; simpl; tauto. Qed.

Lemma rest_pos : forall ys, possible ys -> 0 < rest ys.
Proof.
  induction ys as [|y past IH]; intros Hp; simpl; [lra|].
  destruct Hp as [Hp [_ H]]. apply Rmult_lt_0_compat; [auto|].
  destruct past; [lra|]. destruct (Req_EM_T _ _); [lra|]. apply gauss_pos. destruct H; lra.
Qed.

Theorem loss_of_the_transcript : forall nu mu ys y, possible (y :: ys) ->
  ln (joint nu (y :: ys) / joint mu (y :: ys)) = (sq d (sub y mu) - sq d (sub y nu)) / (2 * T ys).
Proof.
  intros nu mu ys y Hp. rewrite !(telescopes _ _ _ Hp).
  pose proof (rest_pos _ Hp) as Hr.
  assert (Ht : 0 < T ys) by (apply time_pos; destruct Hp; assumption).
  pose proof (gauss_pos nu (T ys) y Ht). pose proof (gauss_pos mu (T ys) y Ht).
  replace (gauss d nu (T ys) y * rest (y :: ys) / (gauss d mu (T ys) y * rest (y :: ys)))
    with (gauss d nu (T ys) y / gauss d mu (T ys) y) by (field; lra).
  unfold gauss.
  assert (Hn : 0 < (/ sqrt (2 * PI * T ys)) ^ d) by (apply pow_lt, Rinv_0_lt_compat, sqrt_lt_R0, two_pi_pos, Ht).
  match goal with |- ln (?c * exp ?a / (?c * exp ?b)) = _ =>
    replace (c * exp a / (c * exp b)) with (exp a * / exp b) by (field; split; [apply Rgt_not_eq, exp_pos | lra]) end.
  rewrite <- exp_Ropp, <- exp_plus, ln_exp. field. lra.
Qed.

End Mechanism.

(* The loss d^2/2t + (d/t) w at distance d, where w is the noise along the difference, of variance t. *)
Definition loss (d w t : R) : R := d * d / (2 * t) + d / t * w.

Theorem loss_is_linear_in_the_noise : forall d nu mu b t, 0 < t ->
  (sq d (sub (add nu b) mu) - sq d (sub (add nu b) nu)) / (2 * t)
  = sq d (sub nu mu) / (2 * t) + dot d (sub nu mu) b / t.
Proof.
  intros d nu mu b t Ht. induction d as [|k IH]; simpl.
  - field; lra.
  - unfold sub, add in *.
    match goal with |- (?a + ?p - (?b + ?q)) / _ = _ =>
      replace ((a + p - (b + q)) / (2 * t)) with ((a - b) / (2 * t) + (p - q) / (2 * t)) by (field; lra) end.
    rewrite IH. field. lra.
Qed.

Theorem loss_is_a_drifted_projection : forall d nu mu b t distance, 0 < t -> 0 < distance ->
  sq d (sub nu mu) = distance * distance ->
  (sq d (sub (add nu b) mu) - sq d (sub (add nu b) nu)) / (2 * t) = loss distance (dot d (sub nu mu) b / distance) t.
Proof.
  intros d nu mu b t distance Ht Hd E. rewrite loss_is_linear_in_the_noise, E by assumption. unfold loss. field. lra.
Qed.

Theorem loss_bound : forall d D w t, 0 <= d <= D -> 0 < t -> loss d w t <= D * D / (2 * t) + D / t * Rmax 0 w.
Proof.
  intros d D w t Hd Ht. unfold loss.
  assert (0 < / t) by (apply Rinv_0_lt_compat; lra). assert (0 < / (2 * t)) by (apply Rinv_0_lt_compat; lra).
  apply Rplus_le_compat.
  - unfold Rdiv. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat; lra.
  - pose proof (Rmax_l 0 w). pose proof (Rmax_r 0 w). unfold Rdiv.
    apply Rle_trans with (d * / t * Rmax 0 w).
    + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption].
    + apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_r; lra.
Qed.

(* The factor T_{n+1}/T_n that the paper prints (A13): the exponent keeps a defect that depends on nu. *)
Definition printed_exponent (u v w s t : R) : R :=
  (u - v)² / (2 * t) + (w - (v + share s t * (u - v)))² / (2 * (t - s)) * (s / t).

Theorem printed_factor_is_wrong : exists u w s t nu mu : R, 0 < s /\ s < t /\
  printed_exponent u nu w s t - (w - nu)² / (2 * s) <> printed_exponent u mu w s t - (w - mu)² / (2 * s).
Proof.
  exists 0, 0, 1, 2, 0, 1. unfold printed_exponent, share, Rsqr. split; [lra|]. split; [lra|].
  intro H. field_simplify in H. lra.
Qed.
