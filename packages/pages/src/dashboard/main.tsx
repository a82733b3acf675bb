import { render } from "preact";
import { App } from "./frame/app.tsx";

const root = document.getElementById("app");
if (!root) throw new Error("the page has no #app");
render(<App />, root);
