(* Ville's inequality at any finite number of looks, for any nonnegative function of time and value that no look makes
   larger on average (M01); the line is reached with probability at most exp(-2ab) (M03, B09); finite mixtures of
   exponential martingales (M05). Laws enter only as expectations: functionals with the rules of `integration`. *)
From Coq Require Import Reals Lra Psatz List FunctionalExtensionality.
From nrverify Require Import composition.
Import ListNotations.
Open Scope R_scope.

(* an increment over a time h, with its law *)
Definition step := (R * integration R)%type.

(* P(some look at t, t + h1, t + h1 + h2, ... finds the value at or above the curve), from value w at time t; the upper
   probability, where the curve is so wild that the event has none *)
Fixpoint reaches (curve : R -> R) (steps : list step) (t w : R) : R :=
  if Rle_dec (curve t) w then 1
  else match steps with
       | [] => 0
       | (h, X) :: more => X (fun y => reaches curve more (t + h) (w + y))
       end.

Definition supermartingale (M : R -> R -> R) (s : step) : Prop :=
  forall t w, 0 <= t ->
    integrable R (snd s) (fun y => M (t + fst s) (w + y)) /\ snd s (fun y => M (t + fst s) (w + y)) <= M t w.
Definition forward (s : step) : Prop := 0 <= fst s.

Lemma reaches_between : forall (M : R -> R -> R) (curve : R -> R) c, 0 < c ->
  (forall t w, 0 <= t -> 0 <= M t w) -> (forall t w, 0 <= t -> curve t <= w -> c <= M t w) ->
  forall steps t w, 0 <= t -> (forall s, In s steps -> forward s /\ supermartingale M s) ->
  0 <= reaches curve steps t w <= / c * M t w.
Proof.
  intros M curve c Hc HM Hcurve. assert (Hi0 : 0 < / c) by (apply Rinv_0_lt_compat; lra).
  induction steps as [|[h X] more IH]; intros t w Ht Hs; simpl; destruct (Rle_dec (curve t) w) as [H|H].
  1, 3: split; [lra|]; apply (Rmult_le_reg_l c); [lra|]; rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra;
    apply Hcurve; assumption.
  - split; [lra|]. apply Rmult_le_pos; [lra | apply HM, Ht].
  - destruct (Hs (h, X) (or_introl eq_refl)) as [Hh Hm]. unfold forward in Hh. simpl in Hh.
    destruct (Hm t w Ht) as [Hi Hle]. simpl in Hi, Hle.
    destruct (I_homogeneous R X (/ c) _ (Rlt_le _ _ Hi0) Hi) as [Hj Hc1].
    assert (B : forall y, 0 <= reaches curve more (t + h) (w + y) <= / c * M (t + h) (w + y)).
    { intro y. apply IH; [lra|]. intros s Hin. apply Hs. right. exact Hin. }
    pose proof (I_monotone R X _ _ Hj B) as Hb. rewrite Hc1 in Hb.
    assert (/ c * X (fun y => M (t + h) (w + y)) <= / c * M t w) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem ville : forall (M : R -> R -> R) (curve : R -> R) c, 0 < c ->
  (forall t w, 0 <= t -> 0 <= M t w) -> (forall t w, 0 <= t -> curve t <= w -> c <= M t w) ->
  forall steps t w, 0 <= t -> (forall s, In s steps -> forward s /\ supermartingale M s) ->
  reaches curve steps t w <= M t w / c.
Proof. intros. unfold Rdiv. rewrite Rmult_comm. apply reaches_between; assumption. Qed.

(* N(0, h) enters only through its moment generating function, at one rate *)
Definition compensator (lam : R) : R := lam * lam / 2.
Definition gaussian_at (lam : R) (s : step) : Prop :=
  integrable R (snd s) (fun y => exp (lam * y)) /\ snd s (fun y => exp (lam * y)) = exp (compensator lam * fst s).
Definition exponential (lam t w : R) : R := exp (lam * w - compensator lam * t).

Definition martingale (M : R -> R -> R) (s : step) : Prop :=
  forall t w, integrable R (snd s) (fun y => M (t + fst s) (w + y)) /\ snd s (fun y => M (t + fst s) (w + y)) = M t w.

Theorem exponential_martingale : forall lam s, gaussian_at lam s -> martingale (exponential lam) s.
Proof.
  intros lam [h X] [Hi H] t w. simpl in *.
  set (c := exp (lam * w - compensator lam * (t + h))).
  replace (fun y => exponential lam (t + h) (w + y)) with (fun y => c * exp (lam * y)).
  - destruct (I_homogeneous R X c _ (Rlt_le _ _ (exp_pos _)) Hi) as [Hj E]. split; [exact Hj|]. rewrite E, H.
    unfold c, exponential. rewrite <- exp_plus. f_equal. ring.
  - extensionality y. unfold c, exponential. rewrite <- exp_plus. f_equal. ring.
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
      destruct (exponential_martingale _ _ Hg t w) as [Hi E]. split; [exact Hi | lra].
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

Theorem finite_mixture_is_a_martingale : forall atoms s,
  (forall p lam, In (p, lam) atoms -> 0 <= p /\ gaussian_at lam s) -> martingale (mixed atoms) s.
Proof.
  induction atoms as [|[p lam] more IH]; intros [h X] H t w; simpl in *.
  - split; [apply I_zero|]. destruct (I_homogeneous R X 0 _ (Rle_refl 0) (I_zero R X)) as [_ E].
    rewrite !Rmult_0_l in E. exact E.
  - destruct (H p lam (or_introl eq_refl)) as [Hp Hg].
    destruct (exponential_martingale lam (h, X) Hg t w) as [I1 E1]. simpl in I1, E1.
    destruct (I_homogeneous R X p _ Hp I1) as [I2 E2].
    destruct (IH (h, X) (fun q r Hin => H q r (or_intror Hin)) t w) as [I3 E3]. simpl in I3, E3.
    destruct (I_additive R X _ _ I2 I3) as [I4 E4]. split; [exact I4|]. rewrite E4, E2, E1, E3. reflexivity.
Qed.

(* the premises can be met: a point mass has the moment at its one rate, which shows consistency and nothing more *)
Theorem premises_can_be_met : forall lam h, gaussian_at lam (h, point R (lam * h / 2)).
Proof. intros lam h. split; [exact Logic.I|]. unfold compensator. simpl. f_equal. field. Qed.
