import { Readable } from 'node:stream'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../../../../lib/network-of.ts'
import { Places } from '../../../../lib/places.ts'
import type { Basemap } from '../../../../ports/map-files.ts'
import { piecesOf } from '../answers/send-page.ts'
import { answer, NOTHING_HERE, type Problem } from '../problem.ts'
import { archiveOf, type MapOwner, siteMap } from './site-map.ts'

/** A tile has some 100 KB; a directory of an archive less. */
const MAX_RANGE_BYTES = 1024 * 1024
/** Parts of the archive that are read or on their way at once, so at most 16 MB: in all, and of one address. */
const MAX_READERS = 16
const READERS_PER_ADDRESS = 8

const FOR_EVER = 'public, max-age=31536000, immutable'

const TOO_MANY_READERS: Problem = {
  kind: 'RATE_LIMITED',
  message: 'Too many parts of the map are being read. Try again in 1 s.',
  headers: { 'retry-after': '1' },
}

/** `bytes=0-1023`. Null for anything else, and for a range that is too long or outside the file. RFC 9110, 14.1.2. */
function rangeOf(header: string | undefined, bytes: number): { readonly from: number; readonly length: number } | null {
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header ?? '')
  if (match === null) return null
  const [from, to] = [Number(match[1]), Math.min(Number(match[2]), bytes - 1)]
  const length = to - from + 1
  return length >= 1 && length <= MAX_RANGE_BYTES ? { from, length } : null
}

/**
 * The files of the map. They contain nothing personal, so anyone who knows an address may have them. Names are looked
 * up, never joined to a path. Each address is counted as for any other page; the archive is read in bounded parts, by a
 * few at a time.
 */
export const mapRoutes =
  (parts: MapOwner): FastifyPluginCallback =>
  (app, _options, done) => {
    const schema = { hide: true } as const
    const readers = new Places({ max: MAX_READERS, maxPerAddress: READERS_PER_ADDRESS })

    app.get<{ Params: { file: string } }>('/map/:file', { schema }, async (request, reply) => {
      const { file } = request.params
      const map = siteMap(parts)
      if (map === null) return answer(reply, null, NOTHING_HERE)
      const { assets, files } = map
      const { basemap } = files
      if (basemap !== null && request.url === archiveOf(basemap)) {
        return sendPart(request, reply, { basemap, readers })
      }
      const asset = assets.get(file)
      if (asset === undefined) return answer(reply, null, NOTHING_HERE)
      const bytes = await asset.gzipped()
      return reply
        .type(asset.type)
        .headers({ 'content-encoding': 'gzip', 'content-length': bytes.length, 'cache-control': FOR_EVER })
        .send(Readable.from(piecesOf(bytes)))
    })
    done()
  }

async function sendPart(
  { headers, ip, raw }: FastifyRequest,
  reply: FastifyReply,
  { basemap, readers }: { readonly basemap: Basemap; readonly readers: Places },
): Promise<FastifyReply> {
  reply.header('accept-ranges', 'bytes')
  const range = rangeOf(headers.range, basemap.bytes)
  if (range === null) {
    // Never the whole of it: such a file has gigabytes.
    return reply.code(416).header('content-range', `bytes */${basemap.bytes}`).send('')
  }
  const place = readers.take(networkOf(ip), () => raw.destroy())
  if (place === null) return answer(reply, null, TOO_MANY_READERS)
  place.works()
  const leave = (): void => place.leaves()
  reply.raw.once('close', leave)
  if (reply.raw.destroyed) leave()
  const { from, length } = range
  const bytes = await basemap.read(from, length)
  // A slow reader yields to the next one.
  place.rests()
  return reply
    .code(206)
    .type('application/octet-stream')
    .headers({
      'content-length': bytes.length,
      'content-range': `bytes ${from}-${from + bytes.length - 1}/${basemap.bytes}`,
      etag: `"${basemap.version}"`,
      'cache-control': FOR_EVER,
    })
    .send(Readable.from(piecesOf(bytes)))
}
