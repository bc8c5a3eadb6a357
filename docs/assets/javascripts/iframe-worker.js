/**
 * For pages opened as files, where a browser starts no worker, and Material searches in one: a hidden
 * frame does the same. It carries the name that Material's offline plugin looks for, or that would have
 * another one fetched from elsewhere.
 */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #inside;

    constructor(address) {
      super();
      this.#frame.hidden = true;
      this.#inside = new Promise((ready) => {
        this.#frame.addEventListener("load", () => ready(this.#start(address)), { once: true });
      });
      document.body.append(this.#frame);
    }

    postMessage(data) {
      this.#inside.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.#frame.remove();
    }

    /** Runs the worker's script in the frame, whose window is its global object. */
    #start(address) {
      const inside = this.#frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = new URL(address, location.href).href;
      return new Promise((ready) => {
        script.addEventListener("load", () => ready(inside));
        inside.document.head.append(script);
      });
    }
  };
}
