import { createRequire } from 'node:module'
import type Undici from 'undici'

const require = createRequire(import.meta.url)

/**
 * The parts of undici that we use, by their files: its index loads fetch, WebSocket, caches and stand-ins for tests as
 * well, which is four fifths of it. The version of undici is fixed (package.json); one without these files does not
 * start any test of this room.
 */
export const Agent: typeof Undici.Agent = require('undici/lib/dispatcher/agent.js')
export const DecoratorHandler: typeof Undici.DecoratorHandler = require('undici/lib/handler/decorator-handler.js')
export const buildConnector: typeof Undici.buildConnector = require('undici/lib/core/connect.js')

type Options = Omit<Undici.Dispatcher.RequestOptions, 'origin' | 'path'>

const requestThrough: (
  this: Undici.Dispatcher,
  options: Undici.Dispatcher.RequestOptions,
) => Promise<Undici.Dispatcher.ResponseData> = require('undici/lib/api/api-request.js')
const { parseURL }: { parseURL(url: string): URL } = require('undici/lib/core/util.js')

/** As `request` of undici's index. Rejects where `url` is none of HTTP. */
export async function request(
  url: string,
  { dispatcher, ...options }: Options & { readonly dispatcher: Undici.Dispatcher },
): Promise<Undici.Dispatcher.ResponseData> {
  const { origin, pathname, search } = parseURL(url)
  return requestThrough.call(dispatcher, { ...options, origin, path: pathname + search })
}
