import { useState } from 'preact/hooks'
import { TocsinError } from '../../sdk/src/index.ts'
import { texts } from '../state/language.ts'

/** The work of one button or form: one at a time, and the reason of a failure, in words. */
export function useTask() {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const run = async (work: () => Promise<unknown>, wordsFor?: (error: TocsinError) => string | null): Promise<void> => {
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      const refused = error instanceof TocsinError ? error : null
      const own = refused === null ? null : (wordsFor?.(refused) ?? null)
      setProblem(own ?? (refused?.status === 0 ? texts.value.noAnswer : texts.value.failed))
    } finally {
      setBusy(false)
    }
  }
  return { busy, problem, run, setProblem }
}
