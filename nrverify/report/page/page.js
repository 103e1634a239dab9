"use strict";
(() => {
  const themes = ["system", "light", "dark"];
  const root = document.documentElement;
  const remember = (theme) => { try { localStorage.setItem("nrverify-theme", theme); } catch { /* a page kept private */ } };
  const recall = () => { try { return localStorage.getItem("nrverify-theme"); } catch { return null; } };
  let theme = themes.includes(recall()) ? recall() : "system";
  const apply = () => {
    if (theme === "system") delete root.dataset.theme; else root.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (button) button.querySelector("span").textContent = theme;
  };
  apply();
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    button.hidden = false;
    button.addEventListener("click", () => {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      remember(theme);
      apply();
    });
    apply();
  });
  let opened = [];
  // What the reader opened is printed as it is; where nothing is open, everything that is shown is opened.
  addEventListener("beforeprint", () => {
    const closed = [...document.querySelectorAll("details.claim")].filter((item) => !item.hidden);
    opened = closed.some((item) => item.open) ? [] : closed;
    for (const item of opened) item.open = true;
  });
  addEventListener("afterprint", () => { for (const item of opened) item.open = false; });
})();
