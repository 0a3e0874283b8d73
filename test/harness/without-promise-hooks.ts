import asyncHooks from 'node:async_hooks'

/*
 * Loaded before node:test. The test runner follows every promise of the process, to know which test an uncaught error
 * belongs to, and that costs more than most tests: a property test over many awaits spends three quarters of its time
 * there. Here it follows everything but promises. An uncaught error still fails the process; `shard.ts` prints its
 * stack, which says where it came from.
 */
const { createHook } = asyncHooks
Object.assign(asyncHooks, {
  createHook: (callbacks: asyncHooks.HookCallbacks) => createHook({ ...callbacks, trackPromises: false }),
})
