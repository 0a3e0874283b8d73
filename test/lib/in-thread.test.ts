import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inThread } from '../harness/in-thread.ts'

/** A program of one line. */
const program = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`)

suite('a program in a thread', () => {
  const never = new AbortController().signal

  test('fails its test with what it throws', () =>
    assert.rejects(inThread(program('throw new Error("found")'), null, never), /found/))

  test('fails its test if it waits for what never comes', () =>
    assert.rejects(inThread(program('await new Promise(() => {})'), null, never), /code 13/))

  test('is ended with its test, whatever it is doing', async () => {
    const timeout = AbortSignal.timeout(50)
    await assert.rejects(inThread(program('for (;;) {}'), null, timeout), { name: 'AbortError' })
  })

  test('passes if it ends', () => inThread(program(''), null, never))
})
