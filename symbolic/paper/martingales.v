(* Ville's inequality at any finite number of looks, for any nonnegative function of time and value that no look makes
   larger on average (M01); the line is reached with probability at most exp(-2ab) (M03, B09); finite mixtures of
   exponential martingales (M05). Laws enter only as expectations: functionals with the rules of the record. *)
From Coq Require Import Reals Lra Psatz List.
Import ListNotations.
Open Scope R_scope.

Record expectation := {
  E :> (R -> R) -> R;
  monotone : forall f g, (forall y, f y <= g y) -> E f <= E g;
  additive : forall f g, E (fun y => f y + g y) = E f + E g;
  homogeneous : forall c f, 0 <= c -> E (fun y => c * f y) = c * E f }.

Lemma E_ext : forall (X : expectation) f g, (forall y, f y = g y) -> X f = X g.
Proof. intros X f g H. apply Rle_antisym; apply monotone; intro y; rewrite H; lra. Qed.

(* an increment over a time h, with its law *)
Definition step := (R * expectation)%type.

(* P(some look at t, t + h1, t + h1 + h2, ... finds the value at or above the curve), from value w at time t *)
Fixpoint reaches (curve : R -> R) (steps : list step) (t w : R) : R :=
  if Rle_dec (curve t) w then 1
  else match steps with
       | [] => 0
       | (h, X) :: more => X (fun y => reaches curve more (t + h) (w + y))
       end.

Definition supermartingale (M : R -> R -> R) (s : step) : Prop :=
  forall t w, 0 <= t -> snd s (fun y => M (t + fst s) (w + y)) <= M t w.
Definition forward (s : step) : Prop := 0 <= fst s.

Theorem ville : forall (M : R -> R -> R) (curve : R -> R) c, 0 < c ->
  (forall t w, 0 <= t -> 0 <= M t w) -> (forall t w, 0 <= t -> curve t <= w -> c <= M t w) ->
  forall steps t w, 0 <= t -> (forall s, In s steps -> forward s /\ supermartingale M s) ->
  reaches curve steps t w <= M t w / c.
Proof.
  intros M curve c Hc HM Hcurve. assert (Hi : 0 < / c) by (apply Rinv_0_lt_compat; lra).
  induction steps as [|[h X] more IH]; intros t w Ht Hs; simpl; destruct (Rle_dec (curve t) w) as [H|H].
  1, 3: apply (Rmult_le_reg_r c); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra;
    apply Hcurve; assumption.
  - apply Rmult_le_pos; [apply HM, Ht | lra].
  - destruct (Hs (h, X) (or_introl eq_refl)) as [Hh Hm]. unfold forward in Hh. simpl in Hh.
    apply Rle_trans with (X (fun y => / c * M (t + h) (w + y))).
    + apply monotone. intro y. rewrite Rmult_comm. apply IH; [lra|]. intros s Hin. apply Hs. right. exact Hin.
    + rewrite homogeneous by lra. specialize (Hm t w Ht). simpl in Hm. unfold Rdiv. rewrite Rmult_comm.
      apply Rmult_le_compat_r; lra.
Qed.

(* N(0, h) enters only through its moment generating function, at one rate *)
Definition compensator (lam : R) : R := lam * lam / 2.
Definition gaussian_at (lam : R) (s : step) : Prop := snd s (fun y => exp (lam * y)) = exp (compensator lam * fst s).
Definition exponential (lam t w : R) : R := exp (lam * w - compensator lam * t).

Theorem exponential_martingale : forall lam s t w, gaussian_at lam s ->
  snd s (fun y => exponential lam (t + fst s) (w + y)) = exponential lam t w.
Proof.
  intros lam [h X] t w H. simpl in *. unfold gaussian_at in H. simpl in H.
  set (c := exp (lam * w - compensator lam * (t + h))).
  assert (Hc : 0 <= c) by apply Rlt_le, exp_pos.
  rewrite (E_ext X _ (fun y => c * exp (lam * y))).
  - rewrite homogeneous, H by exact Hc. unfold c, exponential. rewrite <- exp_plus. f_equal. ring.
  - intro y. unfold c, exponential. rewrite <- exp_plus. f_equal. ring.
Qed.

Lemma exp_le : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [H|H]; [apply Rlt_le, exp_increasing, H | rewrite H; lra]. Qed.

Definition line_probability (a b : R) : R := exp (- (2 * a * b)).

Theorem line_bound : forall a b steps, 0 < a -> 0 < b ->
  (forall s, In s steps -> forward s /\ gaussian_at (2 * a) s) ->
  reaches (fun t => a * t + b) steps 0 0 <= line_probability a b.
Proof.
  intros a b steps Ha Hb Hs.
  replace (line_probability a b) with (exponential (2 * a) 0 0 / exp (2 * a * b)).
  - apply ville; [apply exp_pos | intros; apply Rlt_le, exp_pos | | lra |].
    + intros t w Ht Hw. unfold exponential, compensator. apply exp_le. nra.
    + intros s Hin. destruct (Hs s Hin) as [Hf Hg]. split; [exact Hf|]. intros t w _.
      rewrite exponential_martingale by exact Hg. lra.
  - unfold exponential, line_probability, compensator, Rdiv. rewrite <- exp_Ropp, <- exp_plus. f_equal. ring.
Qed.

(* with 2ab = log(1/delta), as in the linear boundary *)
Theorem line_is_safe : forall a b delta steps, 0 < a -> 0 < b -> 0 < delta -> 2 * a * b = ln (/ delta) ->
  (forall s, In s steps -> forward s /\ gaussian_at (2 * a) s) ->
  reaches (fun t => a * t + b) steps 0 0 <= delta.
Proof.
  intros a b delta steps Ha Hb Hd Hab Hs. eapply Rle_trans; [apply line_bound; assumption|].
  unfold line_probability. rewrite Hab, ln_Rinv, Ropp_involutive, exp_ln by assumption. lra.
Qed.

(* weights and rates of a mixing measure with finitely many atoms *)
Fixpoint mixed (atoms : list (R * R)) (t w : R) : R :=
  match atoms with [] => 0 | (p, lam) :: more => p * exponential lam t w + mixed more t w end.

Theorem finite_mixture_is_a_martingale : forall atoms s t w,
  (forall p lam, In (p, lam) atoms -> 0 <= p /\ gaussian_at lam s) ->
  snd s (fun y => mixed atoms (t + fst s) (w + y)) = mixed atoms t w.
Proof.
  induction atoms as [|[p lam] more IH]; intros [h X] t w H; simpl in *.
  - rewrite (E_ext X (fun _ => 0) (fun _ => 0 * 0)) by (intro; ring). rewrite (homogeneous X 0 (fun _ => 0)) by lra. ring.
  - rewrite (additive X (fun y => p * exponential lam (t + h) (w + y)) (fun y => mixed more (t + h) (w + y))).
    destruct (H p lam (or_introl eq_refl)) as [Hp Hg]. rewrite homogeneous by exact Hp.
    pose proof (exponential_martingale lam (h, X) t w Hg) as M1. simpl in M1. rewrite M1.
    assert (M2 : X (fun y => mixed more (t + h) (w + y)) = mixed more t w).
    { apply (IH (h, X) t w). intros q r Hin. apply H. right. exact Hin. }
    rewrite M2. reflexivity.
Qed.

(* the premises can be met: a point mass has the moment at its one rate, which shows consistency and nothing more *)
Definition point (y0 : R) : expectation.
Proof. refine {| E := fun f => f y0 |}; auto. Defined.

Theorem premises_can_be_met : forall lam h, gaussian_at lam (h, point (lam * h / 2)).
Proof. intros lam h. unfold gaussian_at, compensator. simpl. f_equal. field. Qed.
