/** The task queue of emails that wait for a connection. It is separate so that no other work waits behind them. */
export const sendingQueue = (taskQueue: string): string => `${taskQueue}-sending`
