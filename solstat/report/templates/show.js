
"use strict";
// Puts the cards where the steps say. No rules here: the steps hold every table.
const data = JSON.parse(document.getElementById("data").textContent);
const steps = data.steps;
const byId = (id) => document.getElementById(id);
const cards = new Map(Array.from(document.querySelectorAll("[data-card]"), (e) => [e.dataset.card, e]));
const piles = data.piles.map((name) => document.querySelector(`[data-pile="${name}"]`));
const runs = data.suits.map((suit) => document.querySelector(`[data-suit="${suit}"]`));
const links = Array.from(byId("moves").querySelectorAll("a"));
const still = matchMedia("(prefers-reduced-motion: reduce)");
let at = 0;
let timer = null;

const listed = (text) => (text.match(/../g) ?? []).map((card) => cards.get(card));
const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

function put(list, text, down) {
  const held = listed(text);
  held.forEach((card, height) => card.classList.toggle("down", height < down));
  list.replaceChildren(...held);
  const label = list.closest(".pile").querySelector("[data-label]");
  const hidden = down ? `, ${down} face down` : "";
  if (label) label.textContent = `${label.dataset.label}: ${counted(held.length, "card")}${hidden}`;
}

function lay(step) {
  step.piles.forEach((text, number) => put(piles[number], text, step.down[number]));
  step.finished.forEach((text, number) => put(runs[number], text, 0));
  const stock = byId("stock");
  if (stock) {
    put(stock, step.stock, Infinity);
    byId("left").textContent = `: ${counted(step.stock.length / 2, "card")}`;
  }
  const moved = new Set(listed(step.moved));
  for (const card of cards.values()) card.classList.toggle("moved", moved.has(card));
}

// Cards that lie elsewhere than before slide there.
function slide(change) {
  const places = () => new Map(Array.from(cards.values(), (card) => [card, card.getBoundingClientRect()]));
  for (const card of cards.values()) for (const running of card.getAnimations()) running.cancel();
  const before = places();
  change();
  for (const [card, now] of places()) {
    const old = before.get(card);
    const [x, y] = [old.left - now.left, old.top - now.top];
    if (!old.width || !now.width || Math.abs(x) + Math.abs(y) < 1) continue;
    card.animate(
      [{ transform: `translate(${x}px, ${y}px)`, zIndex: 2 }, { transform: "none", zIndex: 2 }],
      { duration: 220, easing: "ease-out" },
    );
  }
}

function go(number, sliding = false) {
  at = Math.max(0, Math.min(number, steps.length - 1));
  if (sliding && !still.matches) slide(() => lay(steps[at]));
  else lay(steps[at]);
  byId("at").textContent = at ? `Move ${at} of ${steps.length - 1}` : "The deal";
  byId("words").textContent = steps[at].words;
  byId("slider").value = at;
  byId("slider").setAttribute("aria-valuetext", `${at} of ${counted(steps.length - 1, "move")}`);
  byId("first").disabled = byId("back").disabled = at === 0;
  byId("next").disabled = byId("last").disabled = at === steps.length - 1;
  links.forEach((link, place) => {
    if (place === at) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  });
  const list = byId("moves");
  const link = links[at].parentElement;
  list.scrollTop = link.offsetTop - (list.clientHeight - link.offsetHeight) / 2;
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("player").classList.remove("playing");
  byId("auto").setAttribute("aria-label", "Play");
  byId("words").setAttribute("aria-live", "polite");
}

function play() {
  if (at === steps.length - 1) go(0);
  byId("player").classList.add("playing");
  byId("auto").setAttribute("aria-label", "Pause");
  byId("words").setAttribute("aria-live", "off"); // what plays by itself is not read out
  timer = setInterval(() => {
    go(at + 1, true);
    if (at === steps.length - 1) pause();
  }, Number(byId("speed").value));
}

function by(number, sliding) {
  pause();
  go(number, sliding);
}

const toggle = () => (timer === null ? play() : pause());
const actions = {
  first: () => by(0),
  back: () => by(at - 1, true),
  auto: toggle,
  next: () => by(at + 1, true),
  last: () => by(steps.length - 1),
};
for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
byId("slider").addEventListener("input", (event) => by(Number(event.target.value)));
byId("speed").addEventListener("change", () => {
  if (timer !== null) {
    pause();
    play();
  }
});

const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const on = event.target.closest("input[type=range], select"); // they have uses of their own for keys
  if (keys[event.key] && !on) actions[keys[event.key]]();
  else if (event.key === " " && !event.target.closest("a, button, input, select, summary")) toggle();
  else if (event.key === "f" && byId("reveal") && !on) byId("reveal").click();
  else return;
  event.preventDefault();
});

function visit() {
  const number = Number(location.hash.slice(1));
  if (Number.isInteger(number)) by(number);
}
links.forEach((link, place) => link.addEventListener("click", () => by(place)));
addEventListener("hashchange", visit);
byId("player").hidden = false;
visit();
