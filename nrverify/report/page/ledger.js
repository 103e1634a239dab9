addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("filters");
  const search = document.getElementById("search");
  const claims = [...document.querySelectorAll("details.claim")];
  const parts = [...document.querySelectorAll("section.part")];
  const boxes = (name) => [...form.querySelectorAll(`input[name=${name}]`)];
  const chosen = (name) => boxes(name).filter((box) => box.checked).map((box) => box.value);
  const words = () => search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const reveal = (id) => {
    const claim = claims.find((item) => item.id === id);
    if (!claim) return false;
    if (claim.hidden) clear();
    claim.open = true;
    claim.scrollIntoView({ block: "start" });
    claim.querySelector("summary").focus({ preventScroll: true });
    return true;
  };

  function filter() {
    const verdicts = chosen("verdict"), kinds = chosen("kind"), wanted = words();
    let shown = 0;
    for (const claim of claims) {
      const own = claim.dataset.kinds.split(" ");
      const fits = (!verdicts.length || verdicts.includes(claim.dataset.verdict))
        && (!kinds.length || kinds.some((kind) => own.includes(kind)))
        && wanted.every((word) => claim.dataset.text.includes(word));
      claim.hidden = !fits;
      shown += fits;
    }
    for (const part of parts) {
      const count = part.querySelectorAll("details.claim:not([hidden])").length;
      part.hidden = !count;
      part.querySelector(".count").textContent = count;
    }
    document.getElementById("nothing").hidden = shown > 0;
    document.getElementById("shown").textContent = shown === claims.length
      ? `${shown} statements` : `${shown} of ${claims.length} statements`;
    document.getElementById("clear").disabled = !verdicts.length && !kinds.length && !wanted.length;
  }

  function keep() {
    const state = new URLSearchParams();
    if (chosen("verdict").length) state.set("verdict", chosen("verdict").join(","));
    if (chosen("kind").length) state.set("kind", chosen("kind").join(","));
    if (search.value.trim()) state.set("q", search.value.trim());
    const text = state.toString();
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  function recall() {
    const text = location.hash.slice(1);
    if (!text || reveal(text)) return;
    if (!text.includes("=")) return;
    const state = new URLSearchParams(text);
    for (const name of ["verdict", "kind"]) {
      const names = (state.get(name) || "").split(",");
      for (const box of boxes(name)) box.checked = names.includes(box.value);
    }
    search.value = state.get("q") || "";
    filter();
  }

  function clear() {
    for (const box of form.querySelectorAll("input[type=checkbox]")) box.checked = false;
    search.value = "";
    filter();
    keep();
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => { filter(); keep(); });
  document.getElementById("clear").addEventListener("click", clear);
  document.getElementById("open").addEventListener("click", () => {
    for (const claim of claims) if (!claim.hidden) claim.open = true;
  });
  document.getElementById("close").addEventListener("click", () => { for (const claim of claims) claim.open = false; });
  addEventListener("hashchange", recall);
  addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input:not([type=checkbox]), textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    }
    if (event.key === "Escape" && event.target === search) clear();
  });
  filter();
  recall();
});
