// Which device of a cluster has the elements of a transaction.

constexpr u32 STM_NO_DEVICE = ~0u;

// Takes the place of `stm_tx`: finds the device of the first element that a transaction declares, among arrays with a part on each device. A
// part of an array is on the device of the same number, but for a page at its ends. A wrong answer costs time and nothing else.
struct stm_device_finder {
  u64 devices, divided;
  u32 device;

  // Of a deferred array the engine sees nothing.
  STM_DEVICE void declare(u32, stm_intent, const stm_no_array&, u64) {}
  template <class Array>
  STM_DEVICE void declare(u32, stm_intent, const Array& array, u64 index) {
    constexpr u64 BYTES = Array::IS_CELLS ? 16 : sizeof(typename Array::value_type);
    if (device != STM_NO_DEVICE || !array.holds(index) || array.at.len * BYTES < divided) return;
    device = (u32)(index * devices / array.at.len);
  }
};

template <class Specialization, class... Arrays>
STM_DEVICE u32 stm_device_of(const stm_params& p, u32 transaction, Arrays... arrays) {
  const typename Specialization::args args = Specialization::load(p, transaction, arrays...);
  stm_device_finder finder = {p.routes[STM_ROUTE_DEVICES], p.routes[STM_ROUTE_DIVIDED], STM_NO_DEVICE};
  Specialization::declare(finder, p, args);
  return finder.device;
}
