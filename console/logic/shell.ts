/** What somebody types, as one word of a POSIX shell, whatever is in it. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./…-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The request of the operator API that does what the page does, for a script. The token is for whoever copies it. */
export const curlOf = (origin: string, path: string, body?: object): string =>
  [
    `curl -X POST ${origin}/v1/operator${path} -H 'Authorization: Bearer tocsin_…'`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`]),
  ].join(' ')
