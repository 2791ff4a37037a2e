"use strict";
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const findings = [...document.querySelectorAll(".finding")];
  const count = document.getElementById("count");
  const apply = () => {
    const chosen = new FormData(form);
    const tiers = new Set(chosen.getAll("tier"));
    const code = chosen.get("code");
    const words = chosen.get("words").trim().toLowerCase();
    let shown = 0;
    for (const one of findings) {
      const stays = tiers.has(one.dataset.tier) && (!code || one.dataset.code === code) &&
        (!words || one.textContent.toLowerCase().includes(words));
      one.hidden = !stays;
      shown += stays;
    }
    count.textContent = `${shown} of ${findings.length} findings`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
})();
