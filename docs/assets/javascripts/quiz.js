/**
 * The quiz of a day's page. Without this file a question still shows its options, each with a note
 * to open; with it, an answer is judged on the spot. Nothing is stored, and nothing is sent.
 */

/**
 * What follows from choosing an option. No DOM in here.
 *
 * @param {boolean[]} rights  for each option of the question, whether it is the right one
 * @param {number} chosen     the position of the chosen option
 * @returns {{right: boolean, open: number[], verdict: string}} `open` are the notes to open: all of
 *   them after a wrong choice, the chosen one's after a right one. No note is ever closed again.
 */
export function judge(rights, chosen) {
  if (!(chosen in rights)) throw new RangeError(`there is no option ${chosen}`);
  return rights[chosen]
    ? { right: true, open: [chosen], verdict: "Right. The other notes say why those options are wrong." }
    : { right: false, open: [...rights.keys()], verdict: "Wrong. The notes say why. Choose again if you like." };
}

/** What to say to a reader who walks over the options with the arrow keys. */
const WALKING = "Press Enter to answer with this option.";

/** Brings every quiz below `root` to life; one that already is alive is left alone. */
export function mountQuizzes(root) {
  for (const quiz of root.querySelectorAll(".quiz:not([data-live])")) {
    quiz.dataset.live = "";
    quiz.querySelectorAll(".question").forEach(mountQuestion);
  }
}

function mountQuestion(question) {
  const options = [...question.querySelectorAll(".option")];
  const radios = options.map((option) => option.querySelector("input"));
  const notes = options.map((option) => option.querySelector(".note"));
  const rights = options.map((option) => option.classList.contains("right"));
  const verdict = question.querySelector(".verdict");
  let walking = false;

  const answer = (radio) => {
    const chosen = radios.indexOf(radio);
    const { right, open, verdict: words } = judge(rights, chosen);
    question.dataset.answer = right ? "right" : "wrong";
    options.forEach((option, at) => option.classList.toggle("chosen", at === chosen));
    for (const at of open) notes[at].open = true;
    verdict.textContent = words;
  };

  // An arrow key moves a radio group's choice. On the way to the third option a reader passes the
  // second, and must not be told that it is wrong: after an arrow, Enter or Space gives the answer.
  question.addEventListener("keydown", (event) => {
    const radio = event.target;
    if (!radios.includes(radio)) return;
    walking = event.key.startsWith("Arrow");
    if ((event.key === "Enter" || event.key === " ") && radio.checked) {
      event.preventDefault();
      answer(radio);
    }
  });
  question.addEventListener("pointerdown", () => (walking = false));
  question.addEventListener("change", ({ target }) => {
    if (!walking) return answer(target);
    delete question.dataset.answer;
    options.forEach((option) => option.classList.remove("chosen"));
    verdict.textContent = WALKING;
  });
}
