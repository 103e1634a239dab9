"""The page's mathematics: every formula of the ledger becomes MathML, every sentence is set and escaped."""

import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest
import sympy

from nrverify.ledger.claims import load_claims
from nrverify.report.page.inline_math import set_prose
from nrverify.report.page.mathml import Unreadable, mathml, pieces

HOSTILE = "</script><img src=x onerror=alert(1)>"


def words(markup):
    """What a reader sees of it."""
    return "".join(ElementTree.fromstring(f"<p>{markup}</p>").itertext())


def shape(latex):
    """The tree of elements, without attributes."""

    def of(element):
        inside = "".join(of(child) for child in element) or (element.text or "")
        return f"{element.tag}({inside})"

    return of(ElementTree.fromstring(mathml(latex)))


@pytest.mark.parametrize("claim", load_claims().values(), ids=lambda claim: claim.id)
def test_every_formula_of_the_ledger_becomes_mathml(claim):
    for latex in (claim.statement_latex, claim.correction_latex):
        whole = [ElementTree.fromstring(mathml(piece)) for part in pieces(latex) for piece in part]
        assert bool(whole) == bool(latex.strip())
        for formula in whole:
            for element in formula.iter():
                count = {"mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "munderover": 3, "mover": 2}
                assert len(element) == count.get(element.tag, len(element)), f"{latex}: <{element.tag}>"
                assert "\\" not in (element.text or "")


def test_formulas_that_sympy_writes_become_mathml():
    x, lambda_1 = sympy.symbols("x lambda_1", positive=True)
    for expression in (
        sympy.sqrt(x + 1) / (2 * x**2),
        sympy.log(1 + x) ** 2 - sympy.exp(-(x**2) / 2),
        sympy.erfc(x / sympy.sqrt(2)),
        sympy.cbrt(x) * lambda_1,
        sympy.Sum(x**2, (x, 1, sympy.oo)),
        sympy.Rational(3, 4) * sympy.pi,
    ):
        ElementTree.fromstring(mathml(sympy.latex(expression)))


@pytest.mark.parametrize(
    ("latex", "tree"),
    [
        (r"\frac12", "mfrac(mn(1)mn(2))"),
        (r"\tfrac14x", "mstyle(mfrac(mn(1)mn(4)))mi(x)"),
        ("x_1^{2}", "msubsup(mi(x)mn(1)mrow(mn(2)))"),
        ("x^{2}_1", "msubsup(mi(x)mn(1)mrow(mn(2)))"),
        ("x'", "msup(mi(x)mrow(mo(′)))"),
        (r"\sum_{n}p", "munder(mo(∑)mrow(mi(n)))mi(p)"),
        (r"\int_0^t", "msubsup(mo(∫)mn(0)mi(t))"),
        (r"\sqrt{w}", "msqrt(mrow(mi(w)))"),
        (r"\mathcal{L}\le\mathbb{P}", "mi(ℒ)mo(≤)mi(ℙ)"),
        (r"\Bigl(a\Bigr)^{2}", "msup(mrow(mo(()mi(a)mo()))mrow(mn(2)))"),
    ],
)
def test_a_formula_is_what_its_latex_says(latex, tree):
    assert shape(latex) == f"math({tree})"


def test_a_sign_is_not_a_subtraction():
    assert 'form="prefix">−' in mathml("-x")
    assert 'form="prefix">−' in mathml("e^{-x}")
    assert 'form="prefix">−' in mathml("(-x)")
    assert 'form="prefix"' not in mathml("a-x")


@pytest.mark.parametrize("latex", [r"\frac{1}", r"\newcommand{\x}{1}", "x}", r"\left(x", r"\begin{array}x\end{array}"])
def test_a_formula_outside_the_subset_is_refused(latex):
    with pytest.raises(Unreadable):
        mathml(latex)


def test_a_formula_breaks_at_wide_spaces_and_before_relations_only_outside_brackets():
    assert pieces(r"f(x\le 1)=2,\qquad g\le 3") == [["f(x\\le 1)", "=2,"], [" g", "\\le 3"]]


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("T_{n+1} ≤ T_n", "<i>T</i><sub><i>n</i>+1</sub> ≤ <i>T</i><sub><i>n</i></sub>"),
        ("e^{−2ab}", "<i>e</i><sup>−2<i>ab</i></sup>"),
        ("ε_max", "ε<sub>max</sub>"),
        ("p^{f(x)}_t", '<i>p</i><span class="scripts"><sup><i>f</i>(<i>x</i>)</sup><sub><i>t</i></sub></span>'),
        ("10⁻⁶ and 2e-12", "10<sup>−6</sup> and 2·10<sup>−12</sup>"),
        ("P(A(x') ∈ E)", "ℙ(<i>A</i>(<i>x</i>′) ∈ <i>E</i>)"),
        ("the paper's x ~ x'", "the paper’s <i>x</i> ∼ <i>x</i>′"),
        ("A bound on a line at + b, a = 1", "A bound on a line <i>at</i> + <i>b</i>, <i>a</i> = 1"),
        ("Ex-post Rényi privacy", "Ex-post Rényi privacy"),
        ("Appendix B, Lemma B.5", "Appendix B, Lemma B.5"),
        ("y = 0x1.f262p-1 was", "<i>y</i> = <code>0x1.f262p-1</code> was"),
        ("`worst_loss(a)` and worst_loss", "<code>worst_loss(a)</code> and <code>worst_loss</code>"),
    ],
)
def test_mathematics_inside_a_sentence_is_set(text, markup):
    assert set_prose(text) == markup


def test_claims_lead_to_each_other_only_where_they_are_on_the_page():
    assert set_prose("see A03", {"A03"}) == 'see <a href="#A03">A03</a>'
    assert set_prose("see A03") == "see A03"


@pytest.mark.parametrize("claim", load_claims().values(), ids=lambda claim: claim.id)
def test_no_word_of_the_ledger_is_lost_when_it_is_set(claim):
    """Letters and digits survive; only marks of scripts, quotation marks and look-alikes change."""
    plain = str.maketrans({**dict.fromkeys("_^{}`'\"“”’′ ", None), "ℙ": "P", "𝔼": "E", "ℝ": "R", "~": "∼"})
    raised = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵗˣᵀ₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+−ntxT0123456789+−")
    for text in (claim.statement, claim.correction, claim.why, claim.title):
        said = text.translate(raised).translate(plain)
        assert Counter(words(set_prose(text)).translate(plain)) == Counter("".join(said.split()))


def test_hostile_words_stay_words():
    for text in (HOSTILE, f"x_{{{HOSTILE}}}", f"`{HOSTILE}`", f'"{HOSTILE}"'):
        markup = set_prose(text)
        assert "<img" not in markup
        assert "<script" not in markup
    assert "<img" not in mathml(HOSTILE)
    assert "&lt;b&gt;" in mathml(r"\text{<b>}")
    assert "&lt;b&gt;" in mathml(r"\mathrm{<b>}")
    assert "&lt;b&gt;" in mathml(r"\operatorname{<b>}")
