// The planner's page: figures, questions, answers, and what really happens.

import { get, post, sayError } from "./api.js";
import { live } from "./live.js";
import { showAnswer } from "./planner/answer.js";
import { showChoices, waitForChoices } from "./planner/choices.js";
import { Course } from "./planner/course.js";
import { showFigures } from "./planner/figures.js";
import { Questions } from "./planner/questions.js";
import { time as clock, word } from "./words.js";

const REST_MS = 350; // after the last change of the form
const FIGURES_MS = 10_000;

const page = document.getElementById("planner");
if (page) begin(page.dataset.channel, Number(page.dataset.mark));

function begin(channel, mark) {
  const path = `/admin/planner/${encodeURIComponent(channel)}`;
  const askedBy = crypto.randomUUID?.() ?? String(Math.random());
  const answer = document.getElementById("answer");
  const asking = document.getElementById("asking");
  const indicator = document.getElementById("live");
  const course = new Course(channel, mark);
  let figures = null;
  let basis = null;
  let underWay = null;
  let rest;

  const show = () => showFigures(figures, basis, document.getElementById("figures"), document.getElementById("remarks"));
  const questions = new Questions(document.getElementById("questions"), () => {
    clearTimeout(rest);
    rest = setTimeout(ask, REST_MS);
  });

  // First what will happen, which is soon known; then the search, which takes seconds.
  async function ask() {
    const question = questions.read();
    if (!question) return;
    underWay?.abort();
    const mine = (underWay = new AbortController());
    const askedAt = Date.now();
    answer.setAttribute("aria-busy", "true");
    asking.textContent = word("asking");
    try {
      for (const recommend of [false, true]) {
        const plan = await post(path, { ...question, recommend, asked_by: askedBy }, { signal: mine.signal });
        if (mine !== underWay) return;
        tell(plan, question.lag_s, askedAt / 1000);
        answer.setAttribute("aria-busy", "false");
      }
      asking.textContent = word("asked_at", { time: clock(askedAt) });
    } catch (error) {
      if (mine !== underWay || error.name === "AbortError") return; // something newer was asked
      answer.setAttribute("aria-busy", "false");
      asking.textContent = "";
      sayError(error);
    }
  }

  function tell(plan, limit, askedAt) {
    basis = plan.basis;
    show();
    showAnswer(plan, limit);
    course.predict(plan, limit, askedAt);
    if (!plan.choices) return waitForChoices();
    showChoices(plan.choices, (choice) => {
      questions.set(choice.target ? { follows: true, target: choice.target, most: choice.most } : { follows: false, workers: choice.most });
      ask();
    });
  }

  async function refresh() {
    try {
      const first = figures === null;
      figures = await get(path);
      questions.fill(figures);
      show();
      if (first) ask();
    } catch (error) {
      if (figures === null) sayError(error);
    }
  }

  live("/fleet/events", {
    events: { history: (history) => course.takeHistory(history), look: (look) => course.takeLook(look) },
    onState: ({ kind }) => {
      if (indicator) indicator.dataset.kind = kind;
    },
  });
  refresh();
  setInterval(() => document.hidden || refresh(), FIGURES_MS);
}
