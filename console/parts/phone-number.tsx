import { digitGroups } from '../logic/phone.ts'

/** A number to read out: the gaps are of the style alone, so what is copied, searched and read aloud stays whole. */
export const PhoneNumber = ({ number }: { readonly number: string }) => (
  <span class="digits">
    {digitGroups(number).map((group, n) => (
      <span key={`${n} ${group}`}>{group}</span>
    ))}
  </span>
)
