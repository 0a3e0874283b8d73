/** One fact about this phone. */
export const Fact = ({ title, isWell, text }: { title: string; isWell: boolean; text: string }) => (
  <div class="fact">
    <dt>{title}</dt>
    <dd class={isWell ? 'sure' : 'unsure'}>{text}</dd>
  </div>
)
