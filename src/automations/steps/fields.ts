import { text } from '../../http/index.ts'

/** The id of a step, as it is given. */
export const stepId = () =>
  text().meta({
    description: 'Keeps the step of this automation that has this id. With any other, or none, the step is new.',
    isId: true,
  })
