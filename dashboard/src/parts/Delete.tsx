import { Ending } from './Ending.tsx'

/** Asks once more before something is deleted for good, and says what becomes of its contacts. */
export const Delete = ({
  what,
  says,
  ...rest
}: {
  what: string
  path: string
  says: string
  call: () => Promise<unknown>
  onDone: () => void
}) => <Ending verb={`Delete ${what}`} says={`${says} It cannot be undone.`} {...rest} />
