/// The commands of the page, with and without the control token.

#include "served.hpp"
#include "told_by.hpp"

#include <string>

using nlohmann::json;
using test::told_by;

namespace page_control_tests {

namespace {

/// A server that knows a control token, and notes the commands that it gets.
const std::string server = R"js(
  const commands = [];
  window.fetch = async (url, how = {}) => {
    const token = (how.headers || {}).Authorization;
    if (how.method === "POST") commands.push([url.slice(location.origin.length), token]);
    return {ok: true, text: async () => "done\n",
            json: async () => url.endsWith("/recent") ? []
              : {control: token === "Bearer right" ? "open" : "locked"}};
  };
  const flows = [{name: "gold & co", waiting: 3, running: 1, served: 0, refused: 0, seat_s: 0,
                  share: null, lag_ms: 0, mean_wait_ms: 0, waiting_for_s: null}];
  const show = more => test.send([test.pool({name: "a/b", waiting: 7, flows, ...more})],
                                 [test.recent({name: "a/b"})], undefined, {control: "locked"});
  const seen = [];
  const buttons = () => [...document.querySelectorAll("#commands button")].map(b => b.textContent);
  const isShown = id => at(id).getClientRects().length > 0;
  const turn = () => new Promise(resolve => setTimeout(resolve, 0));
  const unlockWith = async token => {
    at("control-token").value = token;
    at("unlock").dispatchEvent(new Event("submit", {cancelable: true}));
    await turn();
  };
  const press = async (id, answer) => {
    at(id).click();
    await turn();
    const asked = at("confirm").open;
    if (asked) at("confirm-" + answer).click();
    for (let i = 0; i < 3; ++i) await turn();
    return asked;
  };
)js";

std::string run(const std::string& script) {
  return server + "(async () => {" + script
         + "})().catch(e => test.tell(String(e)));";
}

} // namespace

TEST_CASE("commands are not shown without a control token") {
  auto told = told_by(run(R"js(
    test.send([test.pool()], [test.recent()]);
    seen.push([isShown("control"), buttons()]);
    show();
    seen.push([isShown("control"), isShown("unlock"), buttons()]);
    await unlockWith("wrong");
    seen.push([buttons(), at("control-told").textContent]);
    await unlockWith("right");
    seen.push([isShown("unlock"), buttons(), at("control-told").textContent,
               at("control-token").value]);
    test.tell(seen);)js"));
  CHECK(told[0] == json{false, json::array()});
  CHECK(told[1] == json{true, true, json::array()});
  CHECK(told[2] == json{json::array(), "This is not the control token."});
  CHECK(told[3]
        == json{false,
                {"Pause", "Resize", "Drain…", "Cancel all…", "Pause flow",
                 "Resume flow", "Cancel flow…"},
                "",
                ""});
}

TEST_CASE("commands are sent with the token, and what destroys work is asked "
          "first") {
  auto told = told_by(run(R"js(
    show();
    await unlockWith("right");
    const asked = [];
    asked.push(await press("command-pause"));
    show({is_paused: true});
    seen.push(at("command-pause").textContent);
    asked.push(await press("command-pause"));
    at("control-size").value = 12;
    asked.push(await press("command-resize"));
    asked.push(await press("command-pause-flow"), await press("command-resume-flow"));
    for (const id of ["command-drain", "command-cancel-all", "command-cancel-flow"])
      asked.push(await press(id, "no"), await press(id, "yes"));
    seen.push(at("control-told").textContent, asked);
    test.tell([seen, commands.map(c => c[0]), commands.every(c => c[1] === "Bearer right")]);)js"));
  CHECK(told[0][0] == "Resume");
  CHECK(told[0][1] == "done");
  CHECK(told[0][2]
        == json{false, false, false, false, false, true, true, true, true, true,
                true});
  const std::string path = "/api/v1/pools/a%2Fb/";
  CHECK(told[1]
        == json{path + "pause", path + "resume", path + "resize?n=12",
                path + "pause?flow=gold%20%26%20co",
                path + "resume?flow=gold%20%26%20co", path + "drain",
                path + "cancel?all=true",
                path + "cancel?flow=gold%20%26%20co"});
  CHECK(told[2] == true);
}

TEST_CASE("the flow without a name can be chosen for commands") {
  auto told = told_by(run(R"js(
    const more = {flows: [...flows, {...flows[0], name: ""}]};
    show(more);
    await unlockWith("right");
    const select = at("control-flow");
    seen.push([...select.options].map(o => o.text), select.value);
    select.value = "";
    show(more);
    await press("command-pause-flow");
    await press("command-cancel-flow", "no");
    seen.push(document.querySelector("#confirm").textContent.includes("messages of the flow without a name in"));
    show({flows: [more.flows[1]]});
    seen.push(isShown("flow-commands"));
    test.tell([seen, commands.map(c => c[0])]);)js"));
  CHECK(told[0] == json{{"gold & co", "no flow"}, "gold & co", true, false});
  CHECK(told[1] == json{"/api/v1/pools/a%2Fb/pause?flow="});
}

TEST_CASE("the state says whether a client may change pools") {
  libpool::live_options with_token;
  with_token.control_token = "right";
  test::served_world none{1};
  test::served_world some{1, with_token};
  auto control = [](test::served_world& of, const std::string& token) {
    return json::parse(
      of.client.get("/api/v1/pools", {{"Authorization", "Bearer " + token}})
        .body)["control"];
  };
  CHECK(control(none, "right") == "off");
  CHECK(control(some, "wrong") == "locked");
  CHECK(control(some, "right") == "open");
}

} // namespace page_control_tests
