import type { IncomingMessage } from 'node:http'

/** The body of a request, or null if its sender disconnected half-way, as one that is killed or times out does. */
export async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    return null
  }
  return Buffer.concat(chunks).toString('utf8')
}
