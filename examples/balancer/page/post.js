/** Posts JSON to the page's own server; a server that is gone is an answer, too. */
export async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { ok: response.ok, answer: await response.json() }
  } catch {
    return { ok: false, answer: { message: 'The balancer does not answer.' } }
  }
}
