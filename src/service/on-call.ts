import type { OnCallNeeds, OperatorOnCall } from '../app/operator/on-call.ts'

/** The on-call list, loaded with its first use: most sites never need it. */
export function prepareOnCall(needs: OnCallNeeds): () => Promise<OperatorOnCall> {
  let loaded: Promise<OperatorOnCall> | null = null
  return () => {
    loaded ??= import('../app/operator/on-call.ts').then(({ operatorOnCall }) => operatorOnCall(needs))
    return loaded
  }
}
