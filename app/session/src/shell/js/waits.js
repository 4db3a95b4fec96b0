// `sleep`, and the promises that were rejected.
(() => {
  "use strict";

  globalThis.sleep = function sleep(milliseconds) {
    __host.sleep(Number(milliseconds));
  };

  /** Rejected promises that nothing handled yet, with their reasons. */
  __host.rejections = new Map();
  __host.rejections.take = function take() {
    const reasons = [...this.values()];
    this.clear();
    return reasons;
  };
})();
