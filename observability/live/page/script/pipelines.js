// -- pipelines ----------------------------------------------------------------

function stageFacts(stage) {
  const wait = stage.wait_ms ? stage.wait_ms.p95 : null;
  return [
    `${short(stage.completed_per_s)}/s, ${milliseconds(stage.time_ms)} in the stage`,
    stage.busy === null || stage.busy === undefined
      ? `${grouped(stage.workers)} ${stage.workers === 1 ? "worker" : "workers"}`
      : `${grouped(stage.busy)} of ${grouped(stage.workers)} workers busy`
        + (stage.busy_share === null ? "" : `, ${percent(stage.busy_share)} of 10 s`),
    wait !== null ? `waits: p95 ${milliseconds(wait)}` : "",
    `${grouped(stage.answered)} completed` + (stage.failed > 0 ? `, ${grouped(stage.failed)} failed` : ""),
  ].filter(Boolean);
}

function stageBox(stage) {
  const box = make("div", undefined, ["stage", stage.is_full && "full", stage.is_slowest && "slowest"]
    .filter(Boolean).join(" "));
  const head = make("div");
  head.append(make("b", stage.name), ` ${grouped(stage.held)}/${grouped(stage.credit)} `,
              make("em", [stage.is_full && "full", stage.is_slowest && "slowest"].filter(Boolean).join(", ")));
  box.append(head, ...stageFacts(stage).map(text => make("small", text)));
  return box;
}

function pipelinePanel(line) {
  const panel = make("section", undefined, "panel"), list = make("ol", undefined, "line");
  const title = make("h2", `Pipeline ${line.name} `);
  title.append(make("small", "items / credit: now; rates and times: mean of 10 s"
    + (line.slowest ? `; the slowest stage is ${line.slowest}` : "")));
  panel.append(title);
  line.stages.forEach((stage, i) => {
    const item = make("li");
    if (i) {
      const arrow = make("span", "→");
      arrow.setAttribute("aria-hidden", "true");
      item.append(arrow);
    }
    item.append(stageBox(stage));
    list.append(item);
  });
  panel.append(list, make("p", `${grouped(line.in_line)} in the pipeline, ${grouped(line.waiting)} wait to enter it; `
    + `accepted ${grouped(line.accepted)}, completed ${grouped(line.completed)}, failed ${grouped(line.failed)}, `
    + `cancelled ${grouped(line.cancelled)}, refused ${grouped(line.refused)}`, "counts"));
  return panel;
}
