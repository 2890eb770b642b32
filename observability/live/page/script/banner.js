// -- whether data come --------------------------------------------------------

const longSilence = 3e3;
const opened = Date.now();
const source = {lastCame: null, isGone: false};

const isSilent = () => source.isGone || Date.now() - (source.lastCame || opened) > longSilence;

function tellSilence() {
  const since = source.lastCame || opened, time = new Date(since).toLocaleTimeString();
  const age = seconds(Math.round((Date.now() - since) / 1e3));
  fillBanner([{text: source.lastCame
    ? `No data for ${age}, since ${time}: the program has ended, or does not answer.`
    : `No data since this page was opened, at ${time}.`}], "bad");
}

// What is shown when nothing comes is old, and looks so.
function watchSource() {
  const wasSilent = document.body.classList.contains("stale"), silent = isSilent();
  document.body.classList.toggle("stale", silent);
  if (silent) tellSilence();
  else if (wasSilent && known.drawn) fillProblems(known.drawn, chosenPool(known.drawn));
}

function dataCame() {
  source.lastCame = Date.now();
  source.isGone = false;
  watchSource();
}
