import { ConfirmAction } from './ConfirmAction.tsx'

/** Asks for confirmation before something is deleted permanently. */
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
}) => <ConfirmAction confirmLabel={`Delete ${object}`} description={`${description} This can’t be undone.`} {...rest} />
