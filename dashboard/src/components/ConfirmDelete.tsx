import { ConfirmAction } from './ConfirmAction.tsx'

/** Asks once more before something is deleted for good, and says what becomes of its contacts. */
export const ConfirmDelete = ({
  object,
  description,
  ...rest
}: {
  object: string
  path: string
  description: string
  action: () => Promise<unknown>
  onDone: () => void
}) => <ConfirmAction confirmLabel={`Delete ${object}`} description={`${description} It cannot be undone.`} {...rest} />
