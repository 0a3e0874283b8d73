import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Page, PageQuery } from '../../../../ports/store.ts'
import { PageReaders } from './page-readers.ts'

/** A page up to this size is sent as one text with a length; a longer one is written as it is read. */
const WHOLE_BYTES = 64 * 1024
/** Small enough to tell a slow reader from one that has stopped reading. */
const PIECE_BYTES = 16 * 1024

/** Reads a part of a page. */
export type ReadPart<Q extends PageQuery, T> = (query: Q) => Promise<Page<T> | { readonly refused: 'bad_cursor' }>

export type PageRequest<Q extends PageQuery, T> = {
  readonly userId: string
  readonly query: Q
  readonly read: ReadPart<Q, T>
  /** Items read and written in one go: as many as take a few milliseconds at their largest. */
  readonly atOnce: number
}

/** Sends pages to a few readers at a time. */
export function createPageSender() {
  const readers = new PageReaders()
  return {
    /**
     * Answers with a page (protocol.md#pages: `{ items, nextCursor, hasMore }`) and holds only a few of its items in
     * memory, however large: it reads the next ones once the client has taken the last.
     */
    async send<Q extends PageQuery, T>(
      reply: FastifyReply,
      { userId, query, read, atOnce }: PageRequest<Q, T>,
    ): Promise<FastifyReply | { readonly refused: 'bad_cursor' | 'too_many_pages' }> {
      const leave = await readers.enter(userId, () => reply.raw.destroy())
      if (leave === null) return { refused: 'too_many_pages' }
      reply.raw.once('close', leave)
      if (reply.raw.destroyed) leave()
      const first = await read({ ...query, limit: Math.min(atOnce, query.limit) })
      if ('refused' in first) return first
      const texts = pageTexts(query, first, read, atOnce)
      const begun: string[] = []
      let bytes = 0
      for (let step = await texts.next(); ; step = await texts.next()) {
        reply.type('application/json; charset=utf-8')
        if (step.done) return reply.send(begun.join(''))
        begun.push(step.value)
        bytes += step.value.length
        if (bytes > WHOLE_BYTES) return reply.send(Readable.from(inPieces(begun, texts), { highWaterMark: 1 }))
      }
    },
  }
}

export type PageSender = ReturnType<typeof createPageSender>

/** The text of a page in parts; other requests get a turn between them. Throws if the store does. */
export async function* pageTexts<Q extends PageQuery, T>(
  query: Q,
  first: Page<T>,
  read: ReadPart<Q, T>,
  atOnce: number,
): AsyncGenerator<string, void> {
  let before = '{"items":['
  let left = query.limit
  for (let part = first; ; ) {
    if (part.items.length > 0) {
      yield before + part.items.map((item) => JSON.stringify(item)).join(',')
      before = ','
    }
    left -= part.items.length
    const { after } = part
    if (after === null || left <= 0) {
      yield `${before === ',' ? '' : before}],"nextCursor":${JSON.stringify(after)},"hasMore":${after !== null}}`
      return
    }
    await setImmediate()
    const next = await read({ ...query, after, limit: Math.min(atOnce, left) })
    if ('refused' in next) throw new Error('the cursor of a page was refused')
    part = next
  }
}

async function* inPieces(begun: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  for (const text of begun) yield* piecesOf(Buffer.from(text))
  for await (const text of rest) yield* piecesOf(Buffer.from(text))
}

/** Splits `bytes` into pieces to be written one after another. */
export function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
