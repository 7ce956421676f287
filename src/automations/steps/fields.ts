import { text } from '../../http/index.ts'

export const stepId = () =>
  text().meta({
    description:
      'The ID of an existing step of this automation, which is kept. With any other ID, or none, the step is new.',
    isId: true,
  })
