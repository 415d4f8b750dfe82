// The public HTTP API, with the token of this tab. No cookies: what another site sends from here carries no token.
const KEPT = "discreet-token";

export const token = {
  get: () => sessionStorage.getItem(KEPT),
  set: (value) => sessionStorage.setItem(KEPT, value),
  drop: () => sessionStorage.removeItem(KEPT),
};

export class Turned extends Error {   // turned down, in the one shape of errors
  constructor(status, body, headers) {
    super(body.message ?? "Something went wrong.");
    this.status = status;
    this.body = body;
    this.wait = Number(headers?.get("Retry-After") ?? 0);
  }
}

export class Lost extends Error {}   // no answer came: nobody knows whether the request arrived

async function sent(method, path, { body, key, signal } = {}) {
  const headers = { Authorization: `Bearer ${token.get() ?? ""}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  try {
    return await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Lost("no connection");
  }
}

async function read(response) {
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  const found = isJson ? await response.json() : {};
  if (response.ok) return found;
  if (response.status === 401 && location.pathname !== "/") leave(found.message?.includes("expired") ? "expired" : "out");
  throw new Turned(response.status, found, response.headers);
}

export const get = async (path, more) => read(await sent("GET", path, more));
export const post = async (path, body, more) => read(await sent("POST", path, { ...more, body }));

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

// An ask is one ask whatever becomes of the connection: the key says so. What takes long is looked for where the server said.
export async function ask(table, body, key, waiting) {
  const response = await sent("POST", `/api/tables/${encodeURIComponent(table)}/ask`, { body, key });
  if (response.status !== 202) return read(response);
  const place = response.headers.get("Location");
  for (;;) {
    waiting?.();
    await pause(Number(response.headers.get("Retry-After") ?? 1));
    const found = await sent("GET", place);
    if (found.status !== 202) return read(found);
  }
}

export function leave(why = "") {
  token.drop();
  location.replace(why ? `/#${why}` : "/");
}
