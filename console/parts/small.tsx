/** A small button about one of several things: its name says which one. */
export const Small = ({
  text,
  of,
  disabled = false,
  onClick,
}: {
  readonly text: string
  readonly of: string
  readonly disabled?: boolean
  readonly onClick: () => void
}) => (
  <button type="button" class="small" aria-label={`${text}: ${of}`} disabled={disabled} onClick={onClick}>
    {text}
  </button>
)
