import type { PhoneUser } from './phone-user.ts'

type StreamEvent = { readonly type: string; readonly snapshotVersion?: number; readonly [field: string]: unknown }

/** An app that reads `GET /v1/sdk/events`, with everything that it was told. */
export async function readStream({ account, hash }: PhoneUser) {
  const ending = new AbortController()
  const response = await fetch(`${account.http}/v1/sdk/events`, {
    signal: ending.signal,
    headers: {
      'x-app-id': account.appId,
      'x-user-id': account.externalUserId,
      authorization: `Bearer ${hash}`,
    },
  })
  const events: StreamEvent[] = []
  let hasEnded = false
  const read = async () => {
    let text = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = `${text}${piece}`.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined) events.push(JSON.parse(data))
      }
    }
  }
  // An end from either side is an end.
  const ended = read()
    .catch(() => {})
    .finally(() => {
      hasEnded = true
    })
  return {
    status: response.status,
    events,
    ended,
    hasEnded: () => hasEnded,
    leaves: () => ending.abort(),
    /** Type and version of each event. */
    told: () =>
      events.map(({ type, snapshotVersion }) => [type, snapshotVersion].filter((part) => part !== undefined).join(' ')),
  }
}
