import { useEffect, useState } from 'preact/hooks'

/** The service's answer, requested when the view opens and by `again`. Null: none yet. */
export function useLoaded<T>(read: () => Promise<T>): {
  readonly value: T | null
  readonly failed: boolean
  readonly again: () => Promise<void>
} {
  const [value, setValue] = useState<T | null>(null)
  const [failed, setFailed] = useState(false)
  const again = async (): Promise<void> => {
    try {
      setValue(await read())
      setFailed(false)
    } catch {
      setFailed(true)
    }
  }
  useEffect(() => void again(), [])
  return { value, failed, again }
}
