// Ponder wants a Hono application; it adds /ready itself.
import { Hono } from "hono";

export default new Hono();
