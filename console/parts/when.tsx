import { Field } from './blocks.tsx'

/** A moment by the clock of this device; empty: none. */
export const When = ({
  label,
  value,
  onPick,
}: {
  readonly label: string
  readonly value: string
  readonly onPick: (value: string) => void
}) => <Field label={label} type="datetime-local" value={value} onInput={(event) => onPick(event.currentTarget.value)} />
