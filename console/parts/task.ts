import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { texts } from '../state/language.ts'

/** The error of each field, if the service names them. */
const fieldsOf = ({ body }: ApiError): readonly { readonly field: string; readonly message: string }[] =>
  Array.isArray(body.fields) ? body.fields : []

/** A sentence that says what to do about any error. */
export function problemOf(error: unknown): string {
  const t = texts.value.problem
  if (!(error instanceof ApiError)) return t.unexpected(String(error))
  const known = t.reasons[error.reason]
  if (known !== undefined) return known
  switch (error.status) {
    case 0:
      return t.unreachable
    case 404:
      return t.gone
    case 409:
      return t.conflict(error.message)
    case 429:
      return t.wait(error.retryAfter ?? 60)
    default:
      return error.status >= 500
        ? t.failed
        : [error.message, ...fieldsOf(error).map(({ field, message }) => `${field}: ${message}.`)].join(' ')
  }
}

export type Task = {
  readonly busy: boolean
  readonly problem: string | null
  /** The fields that the service has refused. */
  readonly refused: readonly string[]
  /** Why, in the words of the service, which are English. */
  readonly reasons: readonly { readonly field: string; readonly message: string }[]
  /** Runs one task at a time, and keeps its error until the next. Resolves to whether it succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>
}

const idle = { busy: false, problem: null, refused: [], reasons: [] }

export function useTask(): Task {
  const [state, set] = useState<Omit<Task, 'run'>>(idle)
  return {
    ...state,
    async run(work) {
      if (state.busy) return false
      set({ ...idle, busy: true })
      try {
        await work()
        set(idle)
        return true
      } catch (error) {
        const reasons = error instanceof ApiError ? fieldsOf(error) : []
        set({ busy: false, problem: problemOf(error), refused: reasons.map(({ field }) => field), reasons })
        return false
      }
    },
  }
}
