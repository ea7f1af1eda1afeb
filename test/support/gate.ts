/** Makes a place where whoever comes first waits until it is opened; who comes later passes. */
export function newGate() {
  let open = () => {};
  let enter = () => {};
  let used = false;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    enter = resolve;
  });
  return {
    async pass(): Promise<void> {
      if (used) return;
      used = true;
      enter();
      await opened;
    },
    /** Resolves when somebody waits. */
    reached,
    open,
  };
}

/** Such a place. */
export type Gate = ReturnType<typeof newGate>;
