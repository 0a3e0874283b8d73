import type { Dispatcher } from 'undici'
import { DecoratorHandler } from 'undici'

/**
 * Calls `started` right before the first byte of a request is written to a connection. A request that fails earlier has
 * reached no one; one that fails later may have. If `started` throws, nothing is written and the request fails with its
 * error.
 */
export const noticingFirstByte =
  (started: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, new StartNoticed(handler, started))

class StartNoticed extends DecoratorHandler implements Dispatcher.DispatchHandler {
  readonly #inner: Dispatcher.DispatchHandler
  readonly #started: () => void

  constructor(inner: Dispatcher.DispatchHandler, started: () => void) {
    super(inner)
    this.#inner = inner
    this.#started = started
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#started()
    this.#inner.onRequestStart?.(controller, context)
  }
}
