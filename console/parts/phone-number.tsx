import { digitGroups } from './digit-groups.ts'

/** A number to read out. Only the style makes the gaps, so copying, searching and reading aloud see it whole. */
export const PhoneNumber = ({ number }: { readonly number: string }) => (
  <span class="digits">
    {digitGroups(number).map((group, n) => (
      <span key={`${n} ${group}`}>{group}</span>
    ))}
  </span>
)
